package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"nmu/internal/matio"
	"nmu/internal/memory"
	"nmu/internal/mpi"
	"nmu/lnmu"
)

// worldKey is the context key of the world of a test.
type worldKey struct{}

// worldOf starts MPI.
func worldOf(ctx context.Context) (world, error) {
	if w, ok := ctx.Value(worldKey{}).(world); ok {
		return w, nil
	}
	w, err := mpi.Init()
	if err != nil {
		return nil, misuse(fmt.Errorf("--%s: %w", nameMPI, err))
	}
	return w, nil
}

// together runs work, with --mpi in all processes.
func (f *factorFlags) together(cmd *cobra.Command, work func() error) error {
	if !f.mpi {
		return work()
	}
	all, err := worldOf(cmd.Context())
	if err != nil {
		return err
	}
	f.all = &processes{world: all, stderr: cmd.ErrOrStderr()}
	if f.all.helper() {
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
	}
	f.share()
	err = f.all.agree(work(), "")
	// After a signal mpirun keeps who ends MPI until it kills all: process 0, which has
	// something to say, does not wait for that.
	if interrupt := (*interruptError)(nil); f.all.helper() || !errors.As(err, &interrupt) {
		all.Finalize()
	}
	if f.all.helper() {
		return nil // mpirun would end process 0 at once, whose error and status count
	}
	return err
}

// share divides the memory and the processors of a machine among the processes on it,
// unless flags set them.
func (f *factorFlags) share() {
	if f.all == nil {
		return
	}
	local := f.all.Local()
	free := memory.Free() / int64(local)
	if f.maxMemory == 0 {
		f.maxMemory = memoryLimit(free)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(free)
	}
	if f.threads == 0 {
		f.threads = max(1, min(runtime.GOMAXPROCS(0), f.all.Processors()/local))
	}
	f.all.Threads(f.threads)
}

// divide sets the part of an m x n matrix that this process holds in the plan.
func (p *processes) divide(to *plan, m, n int) {
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	to.held = last - first
	to.settings.Processes = p.world
	to.settings.Part = lnmu.Part{First: first, Whole: max(m, n), Columns: m < n}
}

// block returns the rows and columns of an m x n matrix that this process holds.
func (p *processes) block(m, n int) matio.Block {
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	if m >= n {
		return matio.Block{I0: first, I1: last, J1: n}
	}
	return matio.Block{I1: m, J0: first, J1: last}
}

// readDense reads the part of a dense matrix that this process holds.
func readDense[T lnmu.Float](file *matio.File, f *factorFlags) (lnmu.Dense[T], error) {
	if f.all == nil {
		return readMatrix[T](file)
	}
	b := f.all.block(file.Dims())
	data, err := matio.DenseWithin[T](file, b)
	return lnmu.Dense[T]{Rows: b.I1 - b.I0, Cols: b.J1 - b.J0, Data: data, Stride: b.J1 - b.J0}, err
}

// readSparse reads the part of a sparse matrix that this process holds.
func readSparse[T lnmu.Float](file *matio.File, f *factorFlags) (m lnmu.CSR[T], err error) {
	if f.all == nil {
		m.Rows, m.Cols, m.Ptr, m.Idx, m.Val, err = matio.Sparse[T](file)
		return m, err
	}
	b := f.all.block(file.Dims())
	m.Rows, m.Cols = b.I1-b.I0, b.J1-b.J0
	m.Ptr, m.Idx, m.Val, err = matio.SparseWithin[T](file, b)
	return m, err
}

// partOf returns the start of this process for an m x n matrix: only the rows of V, or
// the columns of W, that belong to its part of the matrix.
func partOf[T lnmu.Float](p *processes, s start[T], m, n int) start[T] {
	if !s.given {
		return s
	}
	side := &s.v
	if m < n {
		side = &s.w
	}
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	*side = sliceOf(*side, m < n, first, last)
	return s
}

// sliceOf returns a copy of the rows of V from first to last-1, or the columns of W.
func sliceOf[T lnmu.Float](d lnmu.Dense[T], wide bool, first, last int) lnmu.Dense[T] {
	i0, i1, j0, j1 := first, last, 0, d.Cols
	if wide {
		i0, i1, j0, j1 = 0, d.Rows, first, last
	}
	part := lnmu.NewDense[T](i1-i0, j1-j0, nil)
	for i := range part.Rows {
		copy(part.Row(i), d.Row(i0 + i)[j0:j1])
	}
	return part
}

// gathers reports whether process 0 needs the whole of the longer factor, for tables or
// pictures.
func (f *factorFlags) gathers(pics pictures, wide bool) bool {
	shown := pics.basis
	if wide {
		shown = pics.maps
	}
	return shown.known() || slices.ContainsFunc(f.write, func(format string) bool { return format != formatNpy })
}
