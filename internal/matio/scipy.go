package matio

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strings"
)

// openSciPy opens a sparse matrix that SciPy's save_npz wrote: members format
// ("csr", "csc", "coo"), shape, data, and indices and indptr or row and col.
func openSciPy(f *input, find func(string) *zip.File) error {
	format, err := sciPyFormat(f, find("format"))
	if err != nil {
		return err
	}
	names := []string{"shape", "data"}
	switch format {
	case "csr", "csc":
		names = append(names, "indices", "indptr")
	case "coo":
		names = append(names, "row", "col")
	default:
		return f.unsupported("a sparse matrix in the form %q: convert it with tocsr()", format)
	}
	s := &sciPy{f: f, format: format, part: "member %s", member: map[string]array{}}
	for _, name := range names {
		zf := find(name)
		if zf == nil {
			return f.bad(0, "a SciPy matrix in the form %q without member %s", format, name)
		}
		m, err := newMember(f, zf)
		if err != nil {
			return err
		}
		if err := s.add(name, m, len(m.h.shape)); err != nil {
			return err
		}
	}
	return s.open()
}

// add adds a member, of so many dimensions.
func (s *sciPy) add(name string, m array, dims int) error {
	defer s.f.in(s.called(name))()
	if dims != 1 {
		return s.f.bad(0, "want an array of one dimension, have %d", dims)
	}
	if dt := m.elements(); name != "data" && dt.kind != 'i' && dt.kind != 'u' {
		return s.f.bad(0, "%v elements are no indices", dt)
	}
	s.member[name] = m
	return nil
}

// open makes the members, which are all there, the matrix of the file.
func (s *sciPy) open() error {
	f := s.f
	rows, cols, err := s.shape()
	if err != nil {
		return err
	}
	f.entries = s
	if _, err := f.setDims(rows, cols); err != nil {
		return err
	}
	return s.check()
}

// sciPyFormat reads the member format, a string without dimensions, of bytes or
// of UCS-4 characters.
func sciPyFormat(f *input, zf *zip.File) (string, error) {
	if zf.UncompressedSize64 > 1024 {
		return "", f.bad(0, "member format of %d bytes: want the name of a form", zf.UncompressedSize64)
	}
	r, err := zf.Open()
	if err != nil {
		return "", f.readError(0, err)
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, 1024))
	if err != nil {
		return "", f.readError(0, err)
	}
	i := slices.Index(b, '\n')
	if i < 0 || !strings.HasPrefix(string(b), npyMagic) {
		return "", f.bad(0, "member format is no .npy string")
	}
	// The letters are ASCII: the other bytes of a character are zero.
	return strings.ReplaceAll(string(b[i+1:]), "\x00", ""), nil
}

// sciPy is an opened sparse matrix.
type sciPy struct {
	f      *input
	format string
	part   string // what a member is called in messages, its name being %s
	member map[string]array
}

func (s *sciPy) shape() (rows, cols int64, err error) {
	m := s.member["shape"]
	if m.count() != 2 {
		return 0, 0, s.f.bad(0, "%s has %d sizes, want 2", s.called("shape"), m.count())
	}
	var d [2]int64
	err = s.read("shape", func(r *numbers) error {
		return r.eachInt(2, func(i int, v int64) error {
			if v < 0 {
				return s.f.bad(0, "size %d", v)
			}
			d[i] = v
			return nil
		})
	})
	return d[0], d[1], err
}

// check compares the lengths of the members.
func (s *sciPy) check() error {
	data := s.member["data"].count()
	if s.format == "coo" {
		if r, c := s.member["row"].count(), s.member["col"].count(); r != data || c != data {
			return s.f.bad(0, "members row, col, data have %d, %d and %d elements, want the same", r, c, data)
		}
		return nil
	}
	if n := s.member["indices"].count(); n != data {
		return s.f.bad(0, "%s and %s have %d and %d elements, want the same", s.called("indices"), s.called("data"), n, data)
	}
	lines := s.f.rows
	if s.format == "csc" {
		lines = s.f.cols
	}
	if n := s.member["indptr"].count(); n-1 != int64(lines) {
		return s.f.bad(0, "%s has %d elements for %d lines, want one more than lines", s.called("indptr"), n, lines)
	}
	return nil
}

// called is what a member is called in messages.
func (s *sciPy) called(name string) string { return fmt.Sprintf(s.part, name) }

// read calls do with the elements of a member.
func (s *sciPy) read(name string, do func(*numbers) error) error {
	m := s.member[name]
	defer s.f.in(s.called(name))()
	if err := m.verify(); err != nil {
		return err
	}
	r, err := m.numbers()
	if err != nil {
		return err
	}
	err = do(r)
	if cerr := r.close(); err == nil {
		err = cerr
	}
	return err
}

func (s *sciPy) count() int64 { return s.member["data"].count() }

func (s *sciPy) single() bool { return s.member["data"].elements().single() }

func (s *sciPy) order() order {
	switch s.format {
	case "csr":
		return byRow
	case "csc":
		return byColumn
	}
	return oneByOne
}

func (s *sciPy) entries() (e entries, err error) {
	f, n := s.f, s.member["data"].count()
	indices := func(name string, bound int) (idx []int32) {
		if err == nil {
			err = s.read(name, func(r *numbers) (err error) {
				idx, err = f.indices(r, name, n, bound)
				return err
			})
		}
		return idx
	}
	switch s.format {
	case "coo":
		e.byRow = true
		e.major = indices("row", f.rows)
		e.minor = indices("col", f.cols)
	default:
		lines, bound := f.rows, f.cols
		e.byRow = s.format == "csr"
		if !e.byRow {
			lines, bound = bound, lines
		}
		err = s.read("indptr", func(r *numbers) (err error) {
			e.ptr, _, err = f.pointers(r, "indptr", 0, int64(lines), n)
			return err
		})
		e.minor = indices("indices", bound)
	}
	if err == nil {
		err = s.read("data", func(r *numbers) (err error) {
			e.val, err = f.entryValues(r, n)
			return err
		})
	}
	if err != nil {
		return entries{}, err
	}
	if e.ptr != nil { // elements beyond the last pointer are unused
		nnz := e.ptr[len(e.ptr)-1]
		e.minor, e.val = e.minor[:nnz], e.val[:nnz]
	}
	return e, nil
}
