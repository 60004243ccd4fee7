package scipy

import (
	"fmt"

	"nmu/internal/matio/internal/input"
)

// New returns a matrix in the form csr, csc or coo without members. part is the format of a
// member's name in messages, such as "member %s".
func New(f *input.File, format, part string) *Matrix {
	return &Matrix{File: f, Format: format, naming: part, member: map[string]input.Array{}}
}

// Add adds a member that has dims dimensions. The error wraps ErrFormat unless dims is 1 and
// the elements of an index array are integers.
func (s *Matrix) Add(name string, m input.Array, dims int) error {
	defer s.File.In(s.Called(name))()
	if dims != 1 {
		return s.File.Bad(0, "the array has %d dimensions: want 1", dims)
	}
	if dt := m.Elements(); name != "data" && dt.Kind != 'i' && dt.Kind != 'u' {
		return s.File.Bad(0, "elements of type %v cannot be indices: want integers", dt)
	}
	s.member[name] = m
	return nil
}

// Use makes s the matrix of the file. All members must have been added.
func (s *Matrix) Use() error {
	f := s.File
	rows, cols, err := s.shape()
	if err != nil {
		return err
	}
	f.Sparse = s
	if _, err := f.SetDims(rows, cols); err != nil {
		return err
	}
	return s.check()
}

// Matrix is an opened sparse matrix.
type Matrix struct {
	File   *input.File
	Format string
	naming string // what a member is called in messages, its name being %s
	member map[string]input.Array
}

func (s *Matrix) shape() (rows, cols int64, err error) {
	m := s.member["shape"]
	if m.Count() != 2 {
		return 0, 0, s.File.Bad(0, "%s has %d numbers: want 2, rows and columns", s.Called("shape"), m.Count())
	}
	var d [2]int64
	err = s.read("shape", func(r *input.Numbers) error {
		return r.EachInt(2, func(i int, v int64) error {
			if v < 0 {
				return s.File.Bad(0, "the size %d is negative", v)
			}
			d[i] = v
			return nil
		})
	})
	return d[0], d[1], err
}

// check compares the lengths of the members.
func (s *Matrix) check() error {
	data := s.member["data"].Count()
	if s.Format == "coo" {
		if r, c := s.member["row"].Count(), s.member["col"].Count(); r != data || c != data {
			return s.File.Bad(0, "members row, col, data have %d, %d and %d elements: want equal numbers", r, c, data)
		}
		return nil
	}
	if n := s.member["indices"].Count(); n != data {
		return s.File.Bad(0, "%s and %s have %d and %d elements: want equal numbers", s.Called("indices"), s.Called("data"), n, data)
	}
	lines, what := s.File.Rows, "rows"
	if s.Format == "csc" {
		lines, what = s.File.Cols, "columns"
	}
	if n := s.member["indptr"].Count(); n-1 != int64(lines) {
		return s.File.Bad(0, "%s has %d elements: want %d, one more than the matrix has %s", s.Called("indptr"), n, int64(lines)+1, what)
	}
	return nil
}

// Called returns the name of a member in messages.
func (s *Matrix) Called(name string) string { return fmt.Sprintf(s.naming, name) }

// read calls do with a reader of a member.
func (s *Matrix) read(name string, do func(*input.Numbers) error) error {
	m := s.member[name]
	defer s.File.In(s.Called(name))()
	if err := m.Verify(); err != nil {
		return err
	}
	r, err := m.Numbers()
	if err != nil {
		return err
	}
	err = do(r)
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	return err
}

// Count returns the number of entries, which is the length of the array data.
func (s *Matrix) Count() int64 { return s.member["data"].Count() }

// Single says whether float32 holds every value.
func (s *Matrix) Single() bool { return s.member["data"].Elements().Single() }

// Order says in which order the arrays have the entries.
func (s *Matrix) Order() input.Order {
	switch s.Format {
	case "csr":
		return input.ByRow
	case "csc":
		return input.ByColumn
	}
	return input.OneByOne
}

// Entries reads all arrays.
func (s *Matrix) Entries() (e input.Entries, err error) {
	f, n := s.File, s.member["data"].Count()
	indices := func(name string, bound int) (idx []int32) {
		if err == nil {
			err = s.read(name, func(r *input.Numbers) (err error) {
				idx, err = f.Indices(r, name, n, bound)
				return err
			})
		}
		return idx
	}
	switch s.Format {
	case "coo":
		e.ByRow = true
		e.Major = indices("row", f.Rows)
		e.Minor = indices("col", f.Cols)
	default:
		lines, bound := f.Rows, f.Cols
		e.ByRow = s.Format == "csr"
		if !e.ByRow {
			lines, bound = bound, lines
		}
		err = s.read("indptr", func(r *input.Numbers) (err error) {
			e.Ptr, _, err = f.Pointers(r, "indptr", 0, int64(lines), n)
			return err
		})
		e.Minor = indices("indices", bound)
	}
	if err == nil {
		err = s.read("data", func(r *input.Numbers) (err error) {
			e.Val, err = f.EntryValues(r, n)
			return err
		})
	}
	if err != nil {
		return input.Entries{}, err
	}
	if e.Ptr != nil { // elements beyond the last pointer are unused
		nnz := e.Ptr[len(e.Ptr)-1]
		e.Minor, e.Val = e.Minor[:nnz], e.Val[:nnz]
	}
	return e, nil
}
