package lnmu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/combination"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/sparse"
	"nmu/lnmu/internal/tiles"
)

// StoredCSR is a sparse matrix that is not in memory, but in files, for example. It is read by
// whole rows. Its methods are called concurrently. A factorization reads rows only; At is for
// other callers.
//
// Factor, FactorFrom and Continue read it twice: to check it, and to put its entries, in the
// order in which the passes go over them, into files in Settings.Scratch, beside the state of
// an underapproximation and the residual of a recursion. A wide M is put in the order of its
// columns, unless the factors are found one by one (RNMU with Block 1 and SolverLagrangian, or
// rank 1). The passes read the files ahead and write behind, in pieces of a few megabytes for
// each thread. Data of the size of the factors are in memory. The bits are those of M in
// memory, a CSR. docs/combinations.md says what goes with it.
//
// In a Part, each process reads its rows or columns, and sends entries to the process that
// needs them, a few megabytes at a time. Where every process can read M as a whole, that may
// be the matrix of each Part: each then reads an equal number of rows.
//
// An error of the reader, or of a scratch file, ends the run and is its error. TimeLimit and
// cancellation end the writing of these files, and then there are no factors. They also end a
// pass. The error of the result then comes from one or two more passes, for which TimeLimit
// reserves the time of the first reading of M.
type StoredCSR[T Float] interface {
	Matrix[T]

	// Entries returns how many entries are stored.
	Entries() int

	// Pointers returns last-first+1 numbers: where the entries of rows first to last-1
	// begin, and the last of them end, counted from the first entry of the matrix.
	Pointers(first, last int) ([]int, error)

	// ReadRows returns rows first to last-1 as a matrix. Rows from earlier calls stay valid.
	ReadRows(first, last int) (CSR[T], error)
}

// factorStoredSparse is factor for a sparse matrix that is not in memory.
func factorStoredSparse[T Float](ctx context.Context, m StoredCSR[T], o outline.Matrix, start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	p, s, err := beginStoredSparse(ctx, m, o, start, method, settings)
	if err := group.Agree(o.Comm(), err); err != nil {
		return nil, err
	}
	rows, cols := o.Own.Rows.Len(), o.Own.Cols.Len()
	j := newJob(ctx, p, s, start, begun)
	j.Files = true
	if err := j.SameStorage(true); err != nil {
		return nil, err
	}
	if err := o.AgreeShared(m.Dims()); err != nil {
		return nil, err
	}
	if err := group.Agree(j.Comm, j.Alike()); err != nil {
		return nil, err
	}
	j.Limit()
	surveyed := time.Now()
	interrupted := func() bool { _, over := j.Interrupted(); return over }
	reads, part := tiles.Reader[T](stored[T]{m}), o.Part()
	if o.Shared {
		reads, part = tiles.ShareRows(j.Comm, reads)
	}
	x, err := tiles.NewScan(j.Comm, reads, part, sparse.FormOf(j.Plan, p.StoredOnly), p.StoredOnly, interrupted)
	if err != nil {
		return withoutFactors[T](j, rows, cols, s, err)
	}
	j.Reading = time.Since(surveyed)
	in, err := x.Store(s.Threads, s.Scratch)
	if err != nil {
		return withoutFactors[T](j, rows, cols, s, err)
	}
	defer in.Close()
	if j.Norm, j.Largest, err = in.Norm(); err != nil {
		return withoutFactors[T](j, rows, cols, s, err)
	}
	fixed, err := newFixed[T](s.Fixed, o.Rows, o.Cols)
	if err != nil {
		return nil, err
	}
	if j.Norm == 0 {
		res := summedZero[T](p, rows, cols, start.rank, s)
		fixed.Of(o.Own).Fill(res.V, res.W, 0)
		return res, nil
	}
	return factorTiles(j, sparse.NewStorage(*in, j.Plan, start.v, start.w, fixed), p, s)
}

// withoutFactors is the outcome of a job that has ended with an error before there were any
// factors, by itself or since it was interrupted.
func withoutFactors[T Float](j *run.Job, rows, cols int, s Settings, err error) (*Result[T], error) {
	if !errors.Is(err, group.ErrInterrupted) {
		return nil, err
	}
	return unread[T](j, rows, cols, s)
}

// beginStoredSparse checks the arguments of factorStoredSparse, but not the entries of M.
func beginStoredSparse[T Float](ctx context.Context, m StoredCSR[T], o outline.Matrix, start given[T], method Method, settings *Settings) (p resolved, s Settings, err error) {
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return p, s, err
	}
	if p, s, err = prepareStored(m, o, start.rank, method, settings, start.start); err == nil {
		err = start.check(o.Own.Rows.Len(), o.Own.Cols.Len())
	}
	return p, s, err
}

// prepareStored is prepareSparse for a stored M, whose claims it checks.
func prepareStored[T Float](m StoredCSR[T], o outline.Matrix, rank int, method Method, settings *Settings, given bool) (p resolved, s Settings, err error) {
	if err := matrix.CheckDims("M", o.Rows, o.Cols); err != nil {
		return p, s, err
	}
	rows, cols := m.Dims()
	if n := m.Entries(); n < 0 || rows > 0 && n/rows > cols || n > math.MaxInt/64 {
		return p, s, fmt.Errorf("%w: M is %d x %d and claims %d entries", ErrShape, rows, cols, n)
	}
	if p, s, err = prepareSparse(o, rank, method, settings, given); err == nil {
		err = p.check(&combination.SparseInFiles, s, false)
	}
	return p, s, err
}

// stored is a StoredCSR as the engine reads it.
type stored[T Float] struct{ StoredCSR[T] }

// ReadRows implements tiles.Reader.
func (r stored[T]) ReadRows(first, last int) (tiles.CSR[T], error) {
	c, err := r.StoredCSR.ReadRows(first, last)
	return tiles.CSR[T](c), err
}
