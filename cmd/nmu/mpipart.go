package main

import (
	"encoding/binary"
	"fmt"
	"path/filepath"

	"nmu/internal/matio"
	"nmu/lnmu"
)

// checkProcesses refuses what several processes cannot do, as far as package lnmu does
// not do so.
func (f *factorFlags) checkProcesses(given func(flag string) bool) error {
	if f.all == nil {
		return nil
	}
	if f.path == standardInput {
		return fmt.Errorf("--%s: standard input cannot be read by parts; name a file", nameMPI)
	}
	for _, x := range []struct{ flag, instead string }{
		{"improve", "measure the result in one process: nmu factor --init DIR --iters 1"},
		{"report", "nmu report DIR makes it afterwards, in one process"},
		{"continue", "leave it out, or run one process"},
		{"missing", "fill in what is missing, or run one process"},
		{"missing-solver", "leave it out, or run one process"},
		{"sparse-missing", "leave it out, or run one process"},
		{"mask", "leave it out, or run one process"},
		{"weights", "leave it out, or run one process"},
		{"fix-v", "leave it out, or run one process"},
		{"fix-w", "leave it out, or run one process"},
		{"baseline", "leave it out, or run one process"},
	} {
		if given(x.flag) {
			return fmt.Errorf("--%s is not for several processes (--%s); %s", x.flag, nameMPI, x.instead)
		}
	}
	return nil
}

// divide tells a plan which part of an m x n matrix this process has.
func (p *processes) divide(to *plan, m, n int) {
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	to.held = last - first
	to.settings.Processes = p.world
	to.settings.Part = lnmu.Part{First: first, Whole: max(m, n), Columns: m < n}
}

// before is what all processes must have before them.
func (f *factorFlags) before(rows, cols int) string {
	s := fmt.Sprintf("version %s and a matrix of %d x %d", version(), rows, cols)
	if f.resume != nil {
		s += " with the checkpoint " + filepath.Base(f.resume.file.Name())
		if info, err := f.resume.file.Stat(); err == nil {
			s += fmt.Sprintf(" of %d bytes", info.Size())
		}
	}
	return s
}

// block returns the rows and columns that this process has of an m x n matrix.
func (p *processes) block(m, n int) matio.Block {
	first, last := lnmu.Share(m, n, p.Rank(), p.Size())
	if m >= n {
		return matio.Block{I0: first, I1: last, J1: n}
	}
	return matio.Block{I1: m, J0: first, J1: last}
}

// readDense reads what this process has of a dense matrix.
func readDense[T lnmu.Float](file *matio.File, f *factorFlags) (lnmu.Dense[T], error) {
	if f.all == nil {
		return readMatrix[T](file)
	}
	b := f.all.block(file.Dims())
	data, err := matio.DenseWithin[T](file, b)
	return lnmu.Dense[T]{Rows: b.I1 - b.I0, Cols: b.J1 - b.J0, Data: data, Stride: b.J1 - b.J0}, err
}

// readSparse reads what this process has of a sparse matrix.
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

// partOf returns what this process has of a start for an m x n matrix: the rows of V, or
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

// sum returns the sum of a number of each process, in process 0.
func (p *processes) sum(x int) int {
	if p == nil {
		return x
	}
	var b [8]byte
	if p.helper() {
		binary.LittleEndian.PutUint64(b[:], uint64(x))
		p.Exchange(0, b[:], nil)
		return x
	}
	for k := 1; k < p.Size(); k++ {
		p.Exchange(k, nil, b[:])
		x += int(binary.LittleEndian.Uint64(b[:]))
	}
	return x
}
