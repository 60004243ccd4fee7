package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/sparse"
	"nmu/lnmu/internal/tiles"
)

// RowReader reads a sparse matrix from where it stays, such as files, in parts: whole
// rows. Its methods are called concurrently.
type RowReader[T Float] interface {
	Dims() (rows, cols int)

	// Entries returns how many entries are stored.
	Entries() int

	// Pointers returns last-first+1 numbers: where the entries of rows first to last-1
	// begin, and the last of them end, counted from the first entry of the matrix.
	Pointers(first, last int) ([]int, error)

	// ReadRows returns rows first to last-1 as a matrix. What it returned before must
	// not change.
	ReadRows(first, last int) (CSR[T], error)
}

// StoredCSR is a sparse matrix that is not in memory. It is read twice,
// to be checked and to be put, in the order in which the passes go over it, into files in
// Settings.Scratch, where the state of an underapproximation and what a recursion leaves
// of M are as well. The passes read them ahead and write behind, in pieces of a few
// megabytes for each thread; the factors, and what is of their size, are in memory. The
// bits are those that M in memory, a CSR, would lead to.
//
// M must have at least as many rows as columns, but for factors one by one (RNMU with
// Block 1 and SolverLagrangian, or rank 1). What a CSR does not have, and several
// processes, are refused.
//
// An error of the reader, or of a scratch file, ends the run and is its error. TimeLimit and
// cancellation end what makes the files, and then there are no factors, and a pass; the
// result then has its error from one or two more, for which as much of TimeLimit is kept
// back as the first reading of M took.
type StoredCSR[T Float] struct{ RowReader[T] }

// At returns entry (i, j), for which it reads a row. It is NaN if that cannot be read.
func (s StoredCSR[T]) At(i, j int) T {
	row, err := s.ReadRows(i, i+1)
	if err != nil || row.Rows != 1 {
		return T(math.NaN())
	}
	return row.At(0, j)
}

// factorStoredSparse is factor for a sparse matrix that is not in memory.
func factorStoredSparse[T Float](ctx context.Context, m StoredCSR[T], start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return nil, err
	}
	p, s, err := prepareStored(m, start.rank, method, settings, start.start)
	if err != nil {
		return nil, err
	}
	rows, cols := m.Dims()
	if err := start.check(rows, cols); err != nil {
		return nil, err
	}
	surveyed := time.Now()
	limited, release := s.within(ctx)
	defer release()
	x, norm, largest, err := tiles.NewScan(limited, stored[T]{m}, s.SparseMissing)
	switch {
	case ended(limited, err):
		return unfinished[T](ctx, rows, cols, s, err)
	case err != nil:
		return nil, err
	}
	fixed, err := newFixed[T](s.Fixed, rows, cols)
	if err != nil {
		return nil, err
	}
	if norm == 0 {
		res := zeroResult[T](rows, cols, start.rank, s)
		fixed.Fill(res.V, res.W, 0)
		return res, nil
	}
	j := newJob(ctx, p, s, start, rows, cols, begun)
	j.Norm, j.Largest = norm, largest
	j.Files, j.Reading = true, time.Since(surveyed)
	in, done, err := x.Store(sparse.FormOf(j.Plan, s.SparseMissing), s.Threads, s.Scratch)
	defer done()
	switch {
	case ended(limited, err):
		return unfinished[T](ctx, rows, cols, s, err)
	case err != nil:
		return nil, err
	}
	return factorTiles(j, sparse.NewStorage(in, j.Plan, start.v, start.w, fixed), s)
}

// prepareStored checks the arguments, but for the entries of M and what is given.
func prepareStored[T Float](m StoredCSR[T], rank int, method Method, settings *Settings, given bool) (p resolved, s Settings, err error) {
	if m.RowReader == nil {
		return p, s, fmt.Errorf("%w: the stored M has no reader", ErrShape)
	}
	rows, cols := m.Dims()
	if err := matrix.CheckDims("M", rows, cols); err != nil {
		return p, s, err
	}
	if max(rows, cols) > math.MaxInt32 {
		return p, s, tiles.TooLong("M", rows, cols)
	}
	if n := m.Entries(); n < 0 || n/rows > cols || n > math.MaxInt/64 {
		return p, s, fmt.Errorf("%w: M is %d x %d and claims %d entries", ErrShape, rows, cols, n)
	}
	if settings != nil && settings.Processes != nil {
		return p, s, core.Bad("a stored matrix of which processes have parts; give each of them its part in memory, or choose one process")
	}
	p, s, err = prepare(rows, cols, rank, method, settings, given)
	if err == nil {
		err = p.forSparse(s)
	}
	if err == nil && cols > rows && !sparse.FormOf(p.plan(s, rank, false), s.SparseMissing).ByRows {
		err = fmt.Errorf("%w: a stored sparse matrix has fewer rows than columns (%d x %d), and method %s goes over the longer side; store its transpose, whose V and W are the transposes of W and V", ErrShape, rows, cols, p.method.Describe().Name)
	}
	return p, s, err
}

// stored is a stored matrix as the engine reads it.
type stored[T Float] struct{ StoredCSR[T] }

// ReadRows returns rows of the matrix.
func (r stored[T]) ReadRows(first, last int) (tiles.CSR[T], error) {
	c, err := r.StoredCSR.ReadRows(first, last)
	return tiles.CSR[T](c), err
}
