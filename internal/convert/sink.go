package convert

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"nmu/internal/matio"
)

// ErrValue reports a number that cannot be written.
var ErrValue = errors.New("not a number that can be factored")

// ErrMissing reports NaN without Settings.Missing. It wraps ErrValue.
var ErrMissing = fmt.Errorf("a missing number: %w", ErrValue)

// valueError reports the place of a number that cannot be written. It wraps ErrValue or
// matio.ErrPrecision.
type valueError struct {
	path     string
	row, col int64 // from 0; col is -1 for a whole row
	why      string
	kind     error
}

func (e *valueError) Error() string {
	at := ""
	if e.row >= 0 {
		at = fmt.Sprintf("row %d", e.row+1)
	}
	if e.row >= 0 && e.col >= 0 {
		at += ", "
	}
	if e.col >= 0 {
		at += fmt.Sprintf("column %d", e.col+1)
	}
	return fmt.Sprintf("%s: %s %s: %v", e.path, at, e.why, e.kind)
}

func (e *valueError) Unwrap() error { return e.kind }

// sink takes a matrix row by row. Dense rows use elements; sparse rows use entry and endRow.
type sink interface {
	// begin begins a matrix with cols columns.
	begin(cols int, s Settings) error
	// elements takes the next elements, which need not be whole rows.
	elements(x []float64) error
	// entry takes the next entry of the row. Its column must be greater than the last one.
	entry(j int, v float64) error
	endRow() error
	finish(rows int64) (Summary, error)
}

// checked checks the numbers of a matrix row by row.
type checked struct {
	Settings
	row  int64
	lost bool // a number of the row is too small for float32
	kept bool // another one is not
}

// number returns v as it is written. v is element j of the row.
func (c *checked) number(j int, v float64) (float64, error) {
	if v-v != 0 { // infinite or NaN
		if !c.Missing && v != v || math.IsInf(v, 0) {
			kind := ErrValue
			if v != v {
				kind = ErrMissing
			}
			return 0, c.bad(j, fmt.Sprintf("is %v", v), kind)
		}
		return v, nil
	}
	if !c.Single {
		return v, nil
	}
	y := float64(float32(v))
	switch {
	case math.IsInf(y, 0):
		return 0, c.bad(j, fmt.Sprintf("is %v, too large for float32", v), matio.ErrPrecision)
	case y == 0 && v < 0:
		return 0, c.bad(j, fmt.Sprintf("is %v, too small for float32, in which it would be zero", v), matio.ErrPrecision)
	case y == 0 && v != 0:
		c.lost = true
	case y != 0:
		c.kept = true
	}
	return y, nil
}

func (c *checked) bad(j int, why string, kind error) error {
	return &valueError{row: c.row, col: int64(j), why: why, kind: kind}
}

// endRow ends the row.
func (c *checked) endRow() error {
	if c.lost && !c.kept {
		return c.bad(-1, "is not zero, but too small for float32, in which it would be; scale the matrix up", matio.ErrPrecision)
	}
	c.row++
	c.lost, c.kept = false, false
	return nil
}

// size returns the bytes of a number.
func (s Settings) size() int {
	if s.Single {
		return 4
	}
	return 8
}

// append appends v as it is stored.
func (s Settings) append(b []byte, v float64) []byte {
	if s.Single {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// npySink writes a dense matrix.
type npySink struct {
	checked
	w      *writer
	turned bool // what is written are the columns of the matrix
	header int  // bytes
	cols   int
	j      int  // the next element
	full   bool // the row has ended with an entry in its last column
	buf    []byte
	one    [1]float64
}

func newNpySink(file *os.File, turned bool) *npySink {
	return &npySink{w: newWriter(file), turned: turned, header: len(matio.NpyHeader("<f8", false, 0, 0))}
}

func (s *npySink) begin(cols int, settings Settings) error {
	s.Settings, s.cols, s.buf = settings, cols, make([]byte, 0, 8*elementChunk)
	_, err := s.w.Write(make([]byte, s.header))
	return err
}

func (s *npySink) elements(x []float64) error {
	for len(x) > 0 {
		n := min(len(x), elementChunk, s.cols-s.j)
		s.buf = s.buf[:0]
		for k, v := range x[:n] {
			y, err := s.number(s.j+k, v)
			if err != nil {
				return err
			}
			s.buf = s.append(s.buf, y)
		}
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
		x, s.j = x[n:], s.j+n
		if s.j == s.cols {
			s.j = 0
			if err := s.checked.endRow(); err != nil {
				return err
			}
		}
	}
	return nil
}

// zeros are those between entries.
var zeros [elementChunk]float64

func (s *npySink) entry(j int, v float64) error {
	if err := s.skip(j); err != nil {
		return err
	}
	s.one[0] = v
	err := s.elements(s.one[:])
	s.full = s.j == 0
	return err
}

// skip writes zeros before element j.
func (s *npySink) skip(j int) error {
	for n := j - s.j; n > 0; {
		k := min(n, len(zeros))
		if err := s.elements(zeros[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func (s *npySink) endRow() error {
	if s.full {
		s.full = false
		return nil
	}
	return s.skip(s.cols)
}

func (s *npySink) finish(rows int64) (Summary, error) {
	sum := Summary{Rows: rows, Cols: int64(s.cols), Single: s.Single, Bytes: s.w.size}
	if s.turned {
		sum.Rows, sum.Cols = sum.Cols, sum.Rows
	}
	var header []byte
	if s.header > 0 {
		header = matio.NpyHeader(fmt.Sprintf("<f%d", s.size()), s.turned, sum.Rows, sum.Cols)
	}
	return sum, s.w.finish(header)
}

// csrSink writes a sparse matrix.
type csrSink struct {
	checked
	indptr, indices, data *writer
	shape                 *os.File
	cols                  int
	entries               int64
	j                     int // of the next element
}

// newCSRSink creates the files in a folder.
func newCSRSink(folder *os.Root) (*csrSink, error) {
	c := &csrSink{}
	var err error
	create := func(name string) *os.File {
		var file *os.File
		if err == nil {
			file, err = folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
			if e := (*fs.PathError)(nil); errors.As(err, &e) {
				e.Path = filepath.Join(folder.Name(), name)
			}
		}
		return file
	}
	names := matio.CSRNames()
	c.shape = create(names[0])
	c.indptr, c.indices, c.data = newWriter(create(names[1])), newWriter(create(names[2])), newWriter(create(names[3]))
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// close closes the files.
func (s *csrSink) close() error {
	return errors.Join(s.shape.Close(), s.indptr.file.Close(), s.indices.file.Close(), s.data.file.Close())
}

func (s *csrSink) begin(cols int, settings Settings) error {
	if cols > math.MaxInt32 {
		return fmt.Errorf("a sparse matrix of %d columns: at most %d are possible: %w", cols, math.MaxInt32, matio.ErrTooLarge)
	}
	s.Settings, s.cols = settings, cols
	for _, w := range []*writer{s.indptr, s.indices, s.data} {
		if _, err := w.Write(make([]byte, len(matio.NpyHeader("<i8", false, 0)))); err != nil {
			return err
		}
	}
	return s.pointer()
}

// pointer writes the offset of the next row.
func (s *csrSink) pointer() error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(s.entries))
	_, err := s.indptr.Write(b[:])
	return err
}

func (s *csrSink) elements(x []float64) error {
	for _, v := range x {
		if v != 0 {
			if err := s.entry(s.j, v); err != nil {
				return err
			}
		}
		if s.j++; s.j == s.cols {
			if err := s.endRow(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *csrSink) entry(j int, v float64) error {
	y, err := s.number(j, v)
	if err != nil || y == 0 {
		return err
	}
	var b [8]byte
	if _, err := s.indices.Write(binary.LittleEndian.AppendUint32(b[:0], uint32(j))); err != nil {
		return err
	}
	s.entries++
	_, err = s.data.Write(s.append(b[:0], y))
	return err
}

func (s *csrSink) endRow() error {
	s.j = 0
	if err := s.checked.endRow(); err != nil {
		return err
	}
	return s.pointer()
}

func (s *csrSink) finish(rows int64) (Summary, error) {
	header := func(descr string, n int64) []byte { return matio.NpyHeader(descr, false, n) }
	shape := header("<i8", 2)
	shape = binary.LittleEndian.AppendUint64(shape, uint64(rows))
	shape = binary.LittleEndian.AppendUint64(shape, uint64(s.cols))
	sum := Summary{Rows: rows, Cols: int64(s.cols), Single: s.Single, Entries: s.entries,
		Bytes: int64(len(shape)) + s.indptr.size + s.indices.size + s.data.size}
	if _, err := s.shape.Write(shape); err != nil {
		return sum, err
	}
	return sum, errors.Join(s.shape.Sync(),
		s.indptr.finish(header("<i8", rows+1)), s.indices.finish(header("<i4", s.entries)),
		s.data.finish(header(fmt.Sprintf("<f%d", s.size()), s.entries)), s.close())
}
