// Package market reads Matrix Market files: coordinate (sparse) and array (dense), general and
// symmetric.
package market

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
	"nmu/internal/matio/internal/text"
)

// Banner is the beginning of every Matrix Market file.
const Banner = "%%MatrixMarket"

// reader reads a Matrix Market file.
type reader struct {
	f         *input.File
	t         *text.Reader
	integer   bool
	pattern   bool
	symmetric bool
}

// Open opens a Matrix Market file and reads its numbers. With f.Spill, the entries of a sparse
// matrix are read later, by Each.
func Open(f *input.File, t *text.Reader) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	m := &reader{f: f, t: t}
	array, err := m.banner()
	if err != nil {
		return err
	}
	if array {
		return m.array()
	}
	return m.coordinate()
}

// banner reads the first line, which names the kind of matrix.
func (m *reader) banner() (array bool, err error) {
	f := m.f
	b, err := m.t.LineBytes()
	if err != nil && err != io.EOF {
		return false, m.lineError(err)
	}
	w := strings.Fields(strings.ToLower(string(b)))
	if len(w) != 5 || w[0] != strings.ToLower(Banner) || w[1] != "matrix" {
		return false, f.BadLine(1, "want \"%s matrix\" and three more words", Banner)
	}
	if w[2] != "array" && w[2] != "coordinate" {
		return false, f.BadLine(1, "format %.40q: want coordinate or array", w[2])
	}
	array = w[2] == "array"
	switch w[3] {
	case "real":
	case "integer", "unsigned-integer":
		m.integer = true
	case "pattern":
		if m.pattern = true; array {
			return false, f.BadLine(1, "field pattern needs the format coordinate, not array")
		}
	case "complex":
		return false, f.Unsupported("complex numbers: save the real part or the absolute values")
	default:
		return false, f.BadLine(1, "field %.40q: want real, integer or pattern", w[3])
	}
	switch w[4] {
	case "general":
	case "symmetric":
		m.symmetric = true
	case "skew-symmetric", "hermitian":
		return false, f.Unsupported("a %s matrix: save it as general", w[4])
	default:
		return false, f.BadLine(1, "symmetry %.40q: want general or symmetric", w[4])
	}
	return array, nil
}

// line returns the next line that is neither empty nor a comment.
func (m *reader) line() ([]byte, error) {
	for {
		b, err := m.t.LineBytes()
		if err != nil {
			return nil, m.lineError(err)
		}
		if first, _ := text.Field(b); len(first) > 0 && first[0] != '%' {
			return b, nil
		}
	}
}

// lineError adds the line to an error, but returns io.EOF unchanged.
func (m *reader) lineError(err error) error {
	switch err {
	case io.EOF:
		return err
	case bufio.ErrBufferFull:
		return m.f.BadLine(m.t.Line, "the line is longer than %d bytes", text.MaxLine)
	}
	if err = m.f.ReadError(0, err); errors.Is(err, input.ErrFormat) {
		return m.f.BadLine(m.t.Line, "%v", err)
	}
	return err
}

// sizes reads the line of n sizes.
func (m *reader) sizes(n int) ([]int64, error) {
	b, err := m.line()
	if err == io.EOF {
		return nil, m.f.BadLine(m.t.Line, "the file ends before the size line")
	}
	if err != nil {
		return nil, err
	}
	size := make([]int64, n)
	for i := range size {
		var w []byte
		w, b = text.Field(b)
		if size[i], err = strconv.ParseInt(string(w), 10, 64); err != nil || size[i] < 0 {
			return nil, m.f.BadLine(m.t.Line, "%.40q is not a size; want %d sizes", w, n)
		}
	}
	if err := m.lineEnd(b); err != nil {
		return nil, err
	}
	if m.symmetric && size[0] != size[1] {
		return nil, m.f.BadLine(m.t.Line, "the size is %d x %d: a symmetric matrix must be square", size[0], size[1])
	}
	return size, nil
}

func (m *reader) lineEnd(b []byte) error {
	if w, _ := text.Field(b); len(w) > 0 {
		return m.f.BadLine(m.t.Line, "extra text %.40q at the end of the line", w)
	}
	return nil
}

// value reads a number.
func (m *reader) value(b []byte) (v float64, rest []byte, err error) {
	w, rest := text.Field(b)
	v, err = element.Parse(string(w))
	if err != nil || m.integer && v != math.Trunc(v) {
		return 0, nil, m.f.BadLine(m.t.Line, "%.40q is not a number of the field (real or integer) in line 1", w)
	}
	return v, rest, nil
}

// index reads an index from 1 to n. The result counts from 0.
func (m *reader) index(b []byte, what string, n int) (i int32, rest []byte, err error) {
	w, rest := text.Field(b)
	k, err := strconv.ParseInt(string(w), 10, 64)
	if err != nil || k < 1 || k > int64(n) {
		return 0, nil, m.f.BadLine(m.t.Line, "%s %.40q is not in 1 to %d", what, w, n)
	}
	return int32(k - 1), rest, nil
}

// end checks that nothing follows n entries.
func (m *reader) end(n int64) error {
	_, err := m.line()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return m.f.BadLine(m.t.Line, "more than the %d entries that the size line claims", n)
	}
	return err
}

// short returns the error for a file that ends after k of n entries.
func (m *reader) short(err error, k, n int64) error {
	if err == io.EOF {
		return m.f.BadLine(m.t.Line, "the file ends after %d of the %d entries that the size line claims", k, n)
	}
	return err
}

// fits returns an error if n numbers or entries need more memory than is left. inFile and
// inMemory are the least bytes of each. If the file is too short for n, fits returns nil, and
// reading reports where the file ends.
func (m *reader) fits(n, inFile, inMemory int64) error {
	size := m.f.Size
	if m.f.Deflated {
		size = element.Times(size, input.MaxInflate)
	}
	if m.f.Spill != nil || n > size/inFile+1 {
		return nil
	}
	return m.f.Fits(element.Times(n, inMemory), input.Reading)
}

// coordinate reads the entries of a sparse matrix. With Spill, Each of f.Sparse reads them, once.
func (m *reader) coordinate() error {
	size, err := m.sizes(3)
	if err != nil {
		return err
	}
	f, rows, cols, n := m.f, size[0], size[1], size[2]
	e := &input.Entries{ByRow: true, Ones: m.pattern}
	f.Sparse = input.Kept(e)
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return f.TooLarge("a sparse matrix of %d x %d: at most %d rows or columns are possible", rows, cols, math.MaxInt32)
	}
	if _, err := f.SetDims(rows, cols); err != nil {
		return err
	}
	least, inMemory := int64(6), int64(16) // bytes of an entry: "1 1 1\n"
	if m.pattern {
		least, inMemory = 4, 8
	}
	if err := m.fits(n, least, inMemory); err != nil {
		return err
	}
	guess := min(n, f.Size/least+1) // as many as the file can hold
	most := n                       // entries in all
	if m.symmetric {
		most = 2 * min(n, math.MaxInt64/2)
	}
	if f.Spill == nil {
		err = m.Each(n, func(i, j int32, v float64) error { return e.Add(f, i, j, v, guess, most) })
		f.Sparse = input.Kept(e)
		return err
	}
	done := false
	f.Sparse.Entries = func() (input.Entries, error) { return *e, f.Fits(math.MaxInt64, input.Reading) } // none are kept
	f.Sparse.Each = func(do func(i, j int32, v float64) error) error {
		if done {
			return fmt.Errorf("%s: the entries of a text file can be read only once; open it again", f.Path)
		}
		done = true
		return m.Each(n, do)
	}
	return nil
}

// Each reads n entries and calls do for each. For a symmetric matrix it also calls do for the
// mirrored entries, which are not stored. It checks that no more entries follow.
func (m *reader) Each(n int64, do func(i, j int32, v float64) error) error {
	for k := range n {
		i, j, v, err := m.entry(k, n)
		if err == nil {
			err = do(i, j, v)
		}
		if err == nil && m.symmetric && i != j {
			err = do(j, i, v)
		}
		if err != nil {
			return err
		}
	}
	return m.end(n)
}

// entry reads entry k of n from the next line.
func (m *reader) entry(k, n int64) (i, j int32, v float64, err error) {
	b, err := m.line()
	if err != nil {
		return 0, 0, 0, m.short(err, k, n)
	}
	if i, b, err = m.index(b, "row", m.f.Rows); err == nil {
		j, b, err = m.index(b, "column", m.f.Cols)
	}
	if err != nil {
		return 0, 0, 0, err
	}
	v = 1
	if !m.pattern {
		if v, b, err = m.value(b); err != nil {
			return 0, 0, 0, err
		}
	}
	if err := m.lineEnd(b); err != nil {
		return 0, 0, 0, err
	}
	if m.symmetric && i < j {
		return 0, 0, 0, m.f.BadLine(m.t.Line, "the entry at row %d, column %d is above the diagonal: a symmetric matrix lists only the lower triangle", i+1, j+1)
	}
	return i, j, v, nil
}

// array reads a dense matrix, column by column. Of a symmetric matrix the file holds the lower
// triangle.
func (m *reader) array() error {
	f := m.f
	size, err := m.sizes(2)
	if err != nil {
		return err
	}
	n, err := f.SetDims(size[0], size[1])
	if err != nil {
		return err
	}
	if m.symmetric {
		n = (n + size[0]) / 2
	}
	if err := m.fits(n, 2, 8); err != nil {
		return err
	}
	v, err := store.New(f)
	if err != nil {
		return err
	}
	for k := int64(0); k < n; k++ {
		b, err := m.line()
		if err != nil {
			return m.short(err, k, n)
		}
		x, b, err := m.value(b)
		if err != nil {
			return err
		}
		if err := m.lineEnd(b); err != nil {
			return err
		}
		if err := v.Add(x); err != nil {
			return err
		}
	}
	if err := m.end(n); err != nil {
		return err
	}
	f.ByColumns = true
	if m.symmetric {
		if v, err = v.Mirror(); err != nil {
			return err
		}
	}
	f.Dense = v
	return nil
}
