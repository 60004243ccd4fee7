package matio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

const mtxBanner = "%%MatrixMarket"

// mtxReader reads a Matrix Market file.
type mtxReader struct {
	f         *input
	t         *text
	integer   bool
	pattern   bool
	symmetric bool
}

func openMtx(f *input, t *text) error {
	if err := f.noVar(); err != nil {
		return err
	}
	m := &mtxReader{f: f, t: t}
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
func (m *mtxReader) banner() (array bool, err error) {
	f := m.f
	b, err := m.t.lineBytes()
	if err != nil && err != io.EOF {
		return false, m.lineError(err)
	}
	w := strings.Fields(strings.ToLower(string(b)))
	if len(w) != 5 || w[0] != strings.ToLower(mtxBanner) || w[1] != "matrix" {
		return false, f.badLine(1, "want \"%s matrix\" and three more words", mtxBanner)
	}
	if w[2] != "array" && w[2] != "coordinate" {
		return false, f.badLine(1, "format %.40q: want coordinate or array", w[2])
	}
	array = w[2] == "array"
	switch w[3] {
	case "real":
	case "integer", "unsigned-integer":
		m.integer = true
	case "pattern":
		if m.pattern = true; array {
			return false, f.badLine(1, "an array has no pattern")
		}
	case "complex":
		return false, f.unsupported("complex numbers")
	default:
		return false, f.badLine(1, "field %.40q: want real, integer or pattern", w[3])
	}
	switch w[4] {
	case "general":
	case "symmetric":
		m.symmetric = true
	case "skew-symmetric", "hermitian":
		return false, f.unsupported("a %s matrix: want general or symmetric", w[4])
	default:
		return false, f.badLine(1, "symmetry %.40q: want general or symmetric", w[4])
	}
	return array, nil
}

// line returns the next line that is neither empty nor a comment.
func (m *mtxReader) line() ([]byte, error) {
	for {
		b, err := m.t.lineBytes()
		if err != nil {
			return nil, m.lineError(err)
		}
		if first, _ := field(b); len(first) > 0 && first[0] != '%' {
			return b, nil
		}
	}
}

// lineError leaves io.EOF as it is.
func (m *mtxReader) lineError(err error) error {
	switch err {
	case io.EOF:
		return err
	case bufio.ErrBufferFull:
		return m.f.badLine(m.t.line, "longer than %d bytes", maxLine)
	}
	if err = m.f.readError(0, err); errors.Is(err, ErrFormat) {
		return m.f.badLine(m.t.line, "%v", err)
	}
	return err
}

// sizes reads the line of n sizes.
func (m *mtxReader) sizes(n int) ([]int64, error) {
	b, err := m.line()
	if err == io.EOF {
		return nil, m.f.badLine(m.t.line, "the file ends before the line of sizes")
	}
	if err != nil {
		return nil, err
	}
	size := make([]int64, n)
	for i := range size {
		var w []byte
		w, b = field(b)
		if size[i], err = strconv.ParseInt(string(w), 10, 64); err != nil || size[i] < 0 {
			return nil, m.f.badLine(m.t.line, "%.40q is not a size; want %d sizes", w, n)
		}
	}
	if err := m.lineEnd(b); err != nil {
		return nil, err
	}
	if m.symmetric && size[0] != size[1] {
		return nil, m.f.badLine(m.t.line, "a symmetric matrix of %d x %d", size[0], size[1])
	}
	return size, nil
}

func (m *mtxReader) lineEnd(b []byte) error {
	if w, _ := field(b); len(w) > 0 {
		return m.f.badLine(m.t.line, "%.40q follows what the line should hold", w)
	}
	return nil
}

// value reads a number.
func (m *mtxReader) value(b []byte) (v float64, rest []byte, err error) {
	w, rest := field(b)
	v, err = strconv.ParseFloat(string(w), 64)
	if err != nil || m.integer && v != math.Trunc(v) {
		return 0, nil, m.f.badLine(m.t.line, "%.40q is not a number of the kind that the first line names", w)
	}
	return v, rest, nil
}

// index reads an index, of which there are n. The result counts from 0.
func (m *mtxReader) index(b []byte, what string, n int) (i int32, rest []byte, err error) {
	w, rest := field(b)
	k, err := strconv.ParseInt(string(w), 10, 64)
	if err != nil || k < 1 || k > int64(n) {
		return 0, nil, m.f.badLine(m.t.line, "%s %.40q is not in 1 to %d", what, w, n)
	}
	return int32(k - 1), rest, nil
}

// end checks that nothing follows n entries.
func (m *mtxReader) end(n int64) error {
	_, err := m.line()
	switch err {
	case io.EOF:
		return nil
	case nil:
		return m.f.badLine(m.t.line, "more than the %d entries that the line of sizes claims", n)
	}
	return err
}

// short is the error for a file that ends after k of n entries.
func (m *mtxReader) short(err error, k, n int64) error {
	if err == io.EOF {
		return m.f.badLine(m.t.line, "the file ends after %d of the %d entries that the line of sizes claims", k, n)
	}
	return err
}

// atMost is how many entries of so many bytes the file may hold as far as one
// can know before; n if that is less.
func (m *mtxReader) atMost(n, bytes int64) int64 { return min(n, m.f.size/bytes+1) }

// fits returns an error if n numbers or entries, of at least so many bytes in the file and in
// memory, are more than memory holds. Of those that the file cannot have it says nothing:
// that they are missing is found where it ends.
func (m *mtxReader) fits(n, inFile, inMemory int64) error {
	size := m.f.size
	if m.f.deflated {
		size = times(size, maxInflate)
	}
	if m.f.spill != nil || n > size/inFile+1 {
		return nil
	}
	return m.f.Fits(times(n, inMemory), reading)
}

// listed is the entries of a coordinate file: Open has read them, or each does, once, if
// they need not fit in memory.
type listed struct {
	m           *mtxReader
	n           int64 // in the file
	entriesRead entries
	done        bool // each has read them
}

// errOnce is the error for entries of a text file that are asked for a second time.
var errOnce = errors.New("the entries of a text file can be read once")

func (l *listed) entries() (entries, error) { return l.entriesRead, nil }

func (l *listed) each(do func(i, j int32, v float64) error) error {
	if l.m.f.spill == nil {
		return l.entriesRead.each(do)
	}
	if l.done {
		return fmt.Errorf("%s: %w", l.m.f.path, errOnce)
	}
	l.done = true
	return l.m.each(l.n, do)
}

func (l *listed) count() int64 { return int64(len(l.entriesRead.minor)) }

func (l *listed) order() order { return heldByNow }

func (l *listed) single() bool { return false }

func (m *mtxReader) coordinate() error {
	f := m.f
	size, err := m.sizes(3)
	if err != nil {
		return err
	}
	rows, cols, n := size[0], size[1], size[2]
	l := &listed{m: m, n: n}
	f.entries = l
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return f.tooLarge("a sparse matrix of %d x %d: at most %d rows or columns are possible", rows, cols, math.MaxInt32)
	}
	if _, err := f.setDims(rows, cols); err != nil {
		return err
	}
	e := &l.entriesRead
	e.byRow = true
	least, inMemory := int64(6), int64(16) // bytes of an entry: "1 1 1\n"
	if m.pattern {
		least, inMemory = 4, 8
	}
	if err := m.fits(n, least, inMemory); err != nil {
		return err
	}
	guess := m.atMost(n, least)
	most := n // entries in all
	if m.symmetric {
		most = 2 * min(n, math.MaxInt64/2)
	}
	if f.spill != nil {
		return nil
	}
	return m.each(n, func(i, j int32, v float64) (err error) {
		if e.major, err = grown(f, e.major, 1, guess, most); err != nil {
			return err
		}
		if e.minor, err = grown(f, e.minor, 1, guess, most); err != nil {
			return err
		}
		e.major, e.minor = append(e.major, i), append(e.minor, j)
		if m.pattern {
			return nil
		}
		if e.val, err = grown(f, e.val, 1, guess, most); err == nil {
			e.val = append(e.val, v)
		}
		return err
	})
}

// each reads n entries and calls do for them, of a symmetric matrix also for those that
// are not stored, and checks that no others follow.
func (m *mtxReader) each(n int64, do func(i, j int32, v float64) error) error {
	f := m.f
	for k := int64(0); k < n; k++ {
		b, err := m.line()
		if err != nil {
			return m.short(err, k, n)
		}
		i, b, err := m.index(b, "row", f.rows)
		if err != nil {
			return err
		}
		j, b, err := m.index(b, "column", f.cols)
		if err != nil {
			return err
		}
		v := 1.0
		if !m.pattern {
			if v, b, err = m.value(b); err != nil {
				return err
			}
		}
		if err := m.lineEnd(b); err != nil {
			return err
		}
		if m.symmetric && i < j {
			return f.badLine(m.t.line, "an entry at %d, %d, above the diagonal of a symmetric matrix, which only stores what is below", i+1, j+1)
		}
		if err := do(i, j, v); err != nil {
			return err
		}
		if m.symmetric && i != j {
			if err := do(j, i, v); err != nil {
				return err
			}
		}
	}
	return m.end(n)
}

// array reads a dense matrix, column by column; of a symmetric one the part from
// the diagonal down.
func (m *mtxReader) array() error {
	f := m.f
	size, err := m.sizes(2)
	if err != nil {
		return err
	}
	n, err := f.setDims(size[0], size[1])
	if err != nil {
		return err
	}
	if m.symmetric {
		n = (n + size[0]) / 2
	}
	if err := m.fits(n, 2, 8); err != nil {
		return err
	}
	v, err := newStore(f)
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
		if err := v.add(f, x); err != nil {
			return err
		}
	}
	if err := m.end(n); err != nil {
		return err
	}
	f.colMajor = true
	f.data = v.dense()
	if m.symmetric {
		f.data, err = v.mirror(f)
	}
	return err
}
