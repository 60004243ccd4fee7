// Package scipy reads a sparse matrix from the arrays of SciPy: csr and csc (indptr, indices,
// data) or coo (row, col, data). The arrays come from a .npz file, a folder, an HDF5 file or a
// MATLAB file.
package scipy

import (
	"nmu/internal/matio/internal/input"
)

// Matrix is an opened sparse matrix.
type Matrix struct {
	File   *input.File
	Format string
	called func(name string) string
	member map[string]*input.Array
}

// New returns a matrix in the form csr, csc or coo without members. called returns the name of a
// member in messages.
func New(f *input.File, format string, called func(name string) string) *Matrix {
	return &Matrix{File: f, Format: format, called: called, member: map[string]*input.Array{}}
}

// Add adds a member. The error wraps ErrFormat unless it has one dimension and the elements of an index array are
// integers.
func (s *Matrix) Add(name string, m *input.Array) error {
	defer s.File.In(s.called(name))()
	if m.Dims != 1 {
		return s.File.Bad(0, "the array has %d dimensions: want 1", m.Dims)
	}
	if dt := m.Type; name != "data" && dt.Kind != 'i' && dt.Kind != 'u' {
		return s.File.Bad(0, "elements of type %v cannot be indices: want integers", dt)
	}
	s.member[name] = m
	return nil
}

// Use makes s the matrix of the file, with the size in the member shape. All members must have
// been added.
func (s *Matrix) Use() error {
	if n := s.member["shape"].Len; n != 2 {
		return s.File.Bad(0, "%s has %d numbers: want 2, rows and columns", s.called("shape"), n)
	}
	r, err := s.open(s.File, "shape", 0)
	if err != nil {
		return err
	}
	size, err := r.integers(2)
	if err != nil {
		return err
	}
	for _, n := range size {
		if n < 0 {
			return r.bad(0, "the size %d is negative", n)
		}
	}
	if err := r.end(); err != nil {
		return err
	}
	return s.UseAs(size[0], size[1])
}

// UseAs is Use for a matrix of the given size.
func (s *Matrix) UseAs(rows, cols int64) error {
	order := map[string]input.Order{"csr": input.ByRow, "csc": input.ByColumn, "coo": input.OneByOne}[s.Format]
	s.File.Sparse = &input.Sparse{Order: order, Count: s.Count(), Single: s.member["data"].Type.Single(), Entries: s.Entries, Each: s.Each}
	if _, err := s.File.SetDims(rows, cols); err != nil {
		return err
	}
	return s.check()
}

// check compares the lengths of the members.
func (s *Matrix) check() error {
	data := s.Count()
	if s.Format == "coo" {
		if r, c := s.member["row"].Len, s.member["col"].Len; r != data || c != data {
			return s.File.Bad(0, "members row, col, data have %d, %d and %d elements: want equal numbers", r, c, data)
		}
		return nil
	}
	if n := s.member["indices"].Len; n != data {
		return s.File.Bad(0, "%s and %s have %d and %d elements: want equal numbers", s.called("indices"), s.called("data"), n, data)
	}
	lines, _ := s.lines()
	if n := s.member["indptr"].Len; n-1 != int64(lines) {
		what := map[string]string{"csr": "rows", "csc": "columns"}[s.Format]
		return s.File.Bad(0, "%s has %d elements: want %d, one more than the matrix has %s", s.called("indptr"), n, int64(lines)+1, what)
	}
	return nil
}

// lines returns the number of lines with pointers, which are rows of csr and columns of csc, and
// the length of a line.
func (s *Matrix) lines() (lines, length int) {
	if s.Format == "csc" {
		return s.File.Cols, s.File.Rows
	}
	return s.File.Rows, s.File.Cols
}

// Count returns the number of entries, which is the length of the array data.
func (s *Matrix) Count() int64 { return s.member["data"].Len }
