package matio

import (
	"nmu/internal/matio/internal/input"
)

// Reader delivers the elements of a dense matrix one after the other.
type Reader struct{ s input.Source }

// Elements starts reading the elements of a dense matrix, column by column if ByColumn
// says so, else row by row. The Reader must be closed.
func (f *File) Elements() (*Reader, error) {
	if f.in.Closed {
		return nil, closedError(f)
	}
	if f.in.Sparse != nil {
		return nil, f.in.Unsupported("the matrix is sparse: its elements are its entries")
	}
	if err := f.in.Dense.Verify(); err != nil {
		return nil, err
	}
	s, err := f.in.Dense.Open()
	return &Reader{s}, err
}

// ByColumn says whether Elements goes through the matrix column by column.
func (f *File) ByColumn() bool { return f.in.ByColumns != f.in.Transpose }

// Next reads the next elements into dst. At least len(dst) elements must be left.
func (r *Reader) Next(dst []float64) error { return r.s.Next(dst) }

// Close ends reading. If all elements were read, Close also checks the end of the data.
func (r *Reader) Close() error { return r.s.Close() }
