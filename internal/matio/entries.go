package matio

import (
	"fmt"
	"math"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/input"
)

// ExpandLimit returns how many elements a sparse matrix of so many entries may have if
// it is made dense.
func ExpandLimit(entries int64) int64 { return expandFloor + expandRatio*entries }

// ByRow says whether Entries goes through the matrix row by row.
func (f *File) ByRow() bool {
	if f.in.Sparse == nil {
		return false
	}
	stored := f.in.Sparse.Order()
	return stored == input.ByRow && !f.in.Transpose || stored == input.ByColumn && f.in.Transpose
}

// Stored returns how many entries the file lists, zeros and those of one place among
// them, 0 if it does not say so.
func (f *File) Stored() int64 {
	if f.in.Sparse == nil {
		return 0
	}
	return f.in.Sparse.Count()
}

// Float32 says whether float32 holds every number as it is stored.
func (f *File) Float32() bool {
	switch {
	case f.in.Sparse != nil:
		return f.in.Sparse.Single()
	case f.stack != nil:
		return f.stack.Single()
	}
	a, ok := f.in.Dense.(input.Array)
	return ok && a.Elements().Single()
}

// Entries calls do for each entry of a sparse matrix that the file lists, in its order;
// those of one place are to be added. It takes little memory for a .npz file, a folder
// and, with Options.Spill, a text file, of which the entries can be read once only. An
// error of do ends it. Too many rows, where an empty one takes no place in the file, are
// ErrTooLarge as in Sparse.
func Entries(f *File, do func(i, j int32, v float64) error) error {
	if f.in.Closed {
		return closedError(f)
	}
	if f.in.Sparse == nil {
		return fmt.Errorf("%s: the file holds a dense matrix: %w", f.in.Path, ErrNotSparse)
	}
	if rows, cols := f.Dims(); max(rows, cols) > math.MaxInt32 {
		return f.in.TooLarge("a sparse matrix of %d x %d: at most %d rows or columns are possible", rows, cols, math.MaxInt32)
	}
	if err := csr.CheckRows(f.in); err != nil && !f.ByRow() {
		return err
	}
	put := do
	if f.in.Transpose {
		put = func(i, j int32, v float64) error { return do(j, i, v) }
	}
	return f.in.Sparse.Each(put)
}
