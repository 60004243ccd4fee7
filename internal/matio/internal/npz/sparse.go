package npz

import (
	"archive/zip"
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/scipy"
)

// isSparse says whether the members are the arrays of a sparse matrix.
func isSparse(find func(string) *zip.File) bool {
	return find("shape") != nil && find("data") != nil && (find("format") != nil || find("coords") != nil || find("indptr") != nil)
}

// openSparse opens a sparse matrix by the names of its arrays. All of its forms have the members
// shape and data:
//
//	save_npz of SciPy          format (csr, csc, coo), indices and indptr, or row and col
//	save_npz of pydata/sparse  fill_value, and coords, or indices, indptr and compressed_axes
//	savez of the arrays        indices and indptr
func openSparse(f *input.File, find func(string) *zip.File) error {
	if zf := find("fill_value"); zf != nil {
		x, err := few(f, zf, "fiub")
		if err != nil {
			return err
		}
		if len(x) != 1 || x[0] != 0 {
			return f.Unsupported("a sparse array of pydata/sparse whose entries are not 0 where nothing is stored: in Python, save x.todense() with numpy.save")
		}
	}
	form, err := formOf(f, find)
	if err != nil {
		return err
	}
	s := scipy.New(f, form, func(name string) string { return "member " + name })
	add := func(name string) error {
		zf := find(name)
		if zf == nil {
			return f.Bad(0, "the sparse matrix in the format %q has no member %s; write it with scipy.sparse.save_npz", form, name)
		}
		m, err := newMember(f, zf)
		if err == nil {
			err = s.Add(name, m.Array)
		}
		return err
	}
	names := []string{"shape", "data", "indices", "indptr"}
	if form == "coo" {
		names = []string{"shape", "data", "row", "col"}
		if coords := find("coords"); coords != nil {
			names = names[:2]
			if err := addCoordinates(f, s, coords); err != nil {
				return err
			}
		}
	}
	for _, name := range names {
		if err := add(name); err != nil {
			return err
		}
	}
	return s.Use()
}

// formOf returns the form of a sparse matrix: csr, csc or coo.
func formOf(f *input.File, find func(string) *zip.File) (string, error) {
	if zf := find("format"); zf != nil {
		form, err := words(f, zf, func(n int64) bool { return n == 1 })
		switch {
		case err != nil:
			return "", err
		case form == nil:
			return "", f.Bad(0, "member format, of %d bytes, is no text such as csr", zf.UncompressedSize64)
		case !slices.Contains([]string{"csr", "csc", "coo"}, form[0]):
			return "", f.Unsupported("a sparse matrix in the format %q: convert it with tocsr()", form[0])
		}
		return form[0], nil
	}
	shape, err := few(f, find("shape"), "iu")
	if err != nil {
		return "", err
	}
	if len(shape) != 2 {
		return "", f.Unsupported("a sparse array of %d dimensions: want 2; in Python, save x.reshape((rows, columns))", len(shape))
	}
	if find("coords") != nil {
		return "coo", nil
	}
	if zf := find("compressed_axes"); zf != nil {
		axes, err := few(f, zf, "iu")
		switch {
		case err != nil:
			return "", err
		case slices.Equal(axes, []float64{0}):
			return "csr", nil
		case slices.Equal(axes, []float64{1}):
			return "csc", nil
		}
		return "", f.Unsupported("a GCXS array of pydata/sparse with the compressed axes %v: in Python, save x.to_scipy_sparse() with scipy.sparse.save_npz", axes)
	}
	m, err := newMember(f, find("indptr"))
	if err != nil {
		return "", err
	}
	switch lines := float64(m.Len - 1); {
	case shape[0] == shape[1]:
		return "", f.Unsupported("the arrays of a sparse matrix of %.0f x %.0f, which may be csr or csc: in Python, save the matrix with scipy.sparse.save_npz", shape[0], shape[1])
	case lines == shape[1]:
		return "csc", nil
	}
	return "csr", nil // if indptr does not fit either, Use says so
}

// few returns the numbers of a short array, whose type is of one of the kinds.
func few(f *input.File, zf *zip.File, kinds string) ([]float64, error) {
	const most = 64
	m, err := newMember(f, zf)
	if err != nil {
		return nil, err
	}
	defer f.In("member " + m.name)()
	if m.Len > most || strings.IndexByte(kinds, m.Type.Kind) < 0 {
		return nil, f.Bad(0, "the array has %d elements of type %v: want a few integers", m.Len, m.Type)
	}
	s, err := m.From(0)
	if err != nil {
		return nil, err
	}
	x := make([]float64, m.Len)
	return x, cmp.Or(s.Next(x), s.Close())
}

// addCoordinates adds the rows of the member coords, which is 2 x entries, as the rows and the
// columns of the entries.
func addCoordinates(f *input.File, s *scipy.Matrix, zf *zip.File) error {
	m, err := newMember(f, zf)
	if err != nil {
		return err
	}
	if len(m.h.Shape) != 2 || m.h.Shape[0] != 2 {
		defer f.In("member " + m.name)()
		return f.Bad(0, "the array has the shape %d: want 2 x entries", m.h.Shape)
	}
	for k, name := range []string{"row", "col"} {
		row := *m.Array
		row.Len, row.Dims = m.h.Shape[1], 1
		row.Inflated = func(first int64) (*input.Numbers, error) {
			if !m.h.Fortran {
				return m.from(int64(k)*row.Len + first)
			}
			r, err := m.from(2*first + int64(k))
			if err == nil {
				r.Source = &everySecond{bufio.NewReader(r.Source), m.Type.Size, false}
			}
			return r, err
		}
		if err := s.Add(name, &row); err != nil {
			return err
		}
	}
	return nil
}

// everySecond delivers every second element of r, whole elements at a time.
type everySecond struct {
	r     *bufio.Reader
	size  int
	begun bool
}

// Read implements io.Reader.
func (e *everySecond) Read(b []byte) (int, error) {
	for at := 0; at < len(b); at += e.size {
		if e.begun {
			if _, err := e.r.Discard(e.size); err != nil {
				return at, err
			}
		}
		e.begun = true
		if _, err := io.ReadFull(e.r, b[at:at+e.size]); err != nil {
			return at, err
		}
	}
	return len(b), nil
}
