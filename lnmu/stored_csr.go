package lnmu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/run"
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

// StoredCSR is a sparse matrix that is not in memory. It is read twice, to be checked and to be
// put, in the order of the passes, into files in Settings.Scratch, where the state of an
// underapproximation and what a recursion leaves of M are as well. That order is the one of
// the columns if M is wide, unless the factors are found one by one (RNMU with Block 1 and
// SolverLagrangian, or rank 1). The passes read the files ahead and write behind, in pieces of a
// few megabytes for each thread; the factors, and what is of their size, are in memory. The
// bits are those of M in memory, a CSR. What a CSR does not have is refused.
//
// Of several processes each reads its part of M, and sends what it has read to the process that
// needs it, a few megabytes at a time. Where all of them can read the whole of M, each may have
// a reader of that instead, which then reads as many rows as those of the others.
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
	src, p, s, err := beginStoredSparse(ctx, m, start, method, settings)
	if err := group.Agree(processesOf(settings), err); err != nil {
		return nil, err
	}
	rows, cols := src.Whole()
	j := newJob(ctx, p, s, start, rows, cols, begun)
	j.Files = true
	if err := cmp.Or(sameStorage(j.Comm, true), group.Agree(j.Comm, j.Alike())); err != nil {
		return nil, err
	}
	j.Limit()
	surveyed := time.Now()
	reads, part := partRead(j.Comm, m, src)
	interrupted := func() bool { _, over := j.Interrupted(); return over }
	x, err := tiles.NewScan(j.Comm, reads, part, sparse.FormOf(j.Plan, s.SparseMissing), s.SparseMissing, interrupted)
	if err != nil {
		return withoutFactors[T](j, src.Rows, src.Cols, s, err)
	}
	j.Reading = time.Since(surveyed)
	in, err := x.Store(s.Threads, s.Scratch)
	defer in.Close()
	if err == nil {
		j.Norm, j.Largest, err = in.Norm()
	}
	if err != nil {
		return withoutFactors[T](j, src.Rows, src.Cols, s, err)
	}
	fixed, err := newFixed[T](s.Fixed, rows, cols)
	if err != nil {
		return nil, err
	}
	if j.Norm == 0 {
		res := zeroResult[T](src.Rows, src.Cols, start.rank, s)
		fixed.Fill(res.V, res.W, 0)
		return res, nil
	}
	return factorTiles(j, sparse.NewStorage(in, j.Plan, start.v, start.w, fixed), s)
}

// withoutFactors is the outcome of a job that has ended with an error before there were any
// factors, by itself or since it was interrupted.
func withoutFactors[T Float](j *run.Job, rows, cols int, s Settings, err error) (*Result[T], error) {
	if !errors.Is(err, group.ErrInterrupted) {
		return nil, err
	}
	return unread[T](j, rows, cols, s)
}

// beginStoredSparse checks the arguments of factorStoredSparse, but for the entries of M. The
// source is the shape of M alone.
func beginStoredSparse[T Float](ctx context.Context, m StoredCSR[T], start given[T], method Method, settings *Settings) (src dense.Source[T], p resolved, s Settings, err error) {
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return src, p, s, err
	}
	src, p, s, err = prepareStored(m, start.rank, method, settings, start.start)
	if err == nil {
		err = start.check(src.Rows, src.Cols)
	}
	return src, p, s, err
}

// prepareStored is prepareSparse for a stored M, whose claims it checks.
func prepareStored[T Float](m StoredCSR[T], rank int, method Method, settings *Settings, given bool) (src dense.Source[T], p resolved, s Settings, err error) {
	if m.RowReader == nil {
		return src, p, s, noReader()
	}
	rows, cols := m.Dims()
	ownRows, ownCols := rows, cols
	if isWhole(rows, cols, settings) {
		first, last := Share(rows, cols, settings.Processes.Rank(), settings.Processes.Size())
		if ownRows = last - first; cols > rows {
			ownRows, ownCols = rows, last-first
		}
	}
	if src, err = sparsePart[T](ownRows, ownCols, settings); err != nil {
		return src, p, s, err
	}
	if n := m.Entries(); n < 0 || rows > 0 && n/rows > cols || n > math.MaxInt/64 {
		return src, p, s, fmt.Errorf("%w: M is %d x %d and claims %d entries", ErrShape, rows, cols, n)
	}
	p, s, err = prepareSparse(src, rank, method, settings, given)
	return src, p, s, err
}

// isWhole reports whether a stored matrix with so many rows and columns is M as a whole, of
// which a process has a part.
func isWhole(rows, cols int, s *Settings) bool {
	return s != nil && s.Processes != nil && max(rows, cols) == s.Part.Whole && s.Part.Columns == (cols > rows)
}

// partRead returns what a process reads of M, and which part that is: the part that it has, or,
// if the readers of all processes have the whole of M, as many rows as the others.
func partRead[T Float](c group.Comm, m StoredCSR[T], src dense.Source[T]) (stored[T], core.Part) {
	rows, cols := m.Dims()
	m0, n0 := src.Whole()
	all := stored[T]{m, group.Span{To: rows}, m.Entries()}
	if c.Size() == 1 || group.NewVote(c).Any(rows != m0 || cols != n0) {
		return all, src.Part
	}
	to := func(rank int) int { return int(int64(rows) * int64(rank) / int64(c.Size())) }
	all.rows = group.Span{From: to(c.Rank()), To: to(c.Rank() + 1)}
	if c.Rank() > 0 {
		all.entries = 0 // process 0 claims them
	}
	return all, core.Part{First: all.rows.From, Whole: rows}
}

// stored is rows of a stored matrix as the engine reads them.
type stored[T Float] struct {
	m       StoredCSR[T]
	rows    group.Span
	entries int // that are claimed
}

// Dims implements tiles.Reader.
func (r stored[T]) Dims() (rows, cols int) {
	_, cols = r.m.Dims()
	return r.rows.Len(), cols
}

// Entries implements tiles.Reader.
func (r stored[T]) Entries() int { return r.entries }

// Pointers implements tiles.Reader.
func (r stored[T]) Pointers(first, last int) ([]int, error) {
	return r.m.Pointers(r.rows.From+first, r.rows.From+last)
}

// ReadRows implements tiles.Reader.
func (r stored[T]) ReadRows(first, last int) (tiles.CSR[T], error) {
	c, err := r.m.ReadRows(r.rows.From+first, r.rows.From+last)
	return tiles.CSR[T](c), err
}
