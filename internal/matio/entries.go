package matio

import (
	"fmt"
	"math"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// A sparse matrix expands to at most expandFloor + expandRatio*nonzeros elements.
const (
	expandFloor = 1 << 22
	expandRatio = 1024
)

// ExpandLimit returns how many elements the dense form of a sparse matrix with this many
// entries may have.
func ExpandLimit(entries int64) int64 { return expandFloor + expandRatio*entries }

// ByRow says whether Entries goes through the matrix row by row.
func (f *File) ByRow() bool {
	if f.in.Sparse == nil {
		return false
	}
	stored := f.in.Sparse.Order
	return stored == input.ByRow && !f.in.Transpose || stored == input.ByColumn && f.in.Transpose
}

// Stored returns the number of entries that the file lists, or 0 if the file does not say.
// Zeros and repeated entries count.
func (f *File) Stored() int64 {
	if f.in.Sparse == nil {
		return 0
	}
	return f.in.Sparse.Count
}

// Float32 says whether float32 holds every number as it is stored.
func (f *File) Float32() bool {
	switch {
	case f.in.Sparse != nil:
		return f.in.Sparse.Single
	case f.stack != nil:
		return f.stack.Single()
	}
	a, ok := f.in.Dense.(*input.Array)
	return ok && a.Type.Single()
}

// Entries calls do for each entry of a sparse matrix, in the order of the file. Repeated
// entries of one place are to be added. An error of do ends the calls and is returned. Entries
// takes little memory for a .npz file, a folder and, with Options.Spill, a text file. The
// entries of such a text file can be read only once. If the number of rows is out of proportion
// to the file, the error wraps ErrTooLarge, as in Sparse.
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
	tally := f.in.Tally
	err := f.in.Sparse.Each(func(i, j int32, v float64) error {
		if tally != nil && f.in.Spill != nil {
			tally.Add(v)
		}
		if f.in.Transpose {
			i, j = j, i
		}
		return do(i, j, f.in.Meaning.Of(v))
	})
	f.noteNumbers()
	return err
}

// entriesSize returns how many bytes Sparse takes to read and to sort the entries of f, for
// numbers of size bytes.
func (f *File) entriesSize(size int64) int64 {
	const index, number = 4, 8
	each := int64(index + number) // bytes of an entry
	sorted := f.ByRow()
	switch f.in.Sparse.Order {
	case input.OneByOne:
		each += index
	case input.Held:
		each = 0
	}
	if !sorted {
		each += index + number
	}
	if size != number {
		each += size
	}
	return element.Times(f.Stored(), each)
}
