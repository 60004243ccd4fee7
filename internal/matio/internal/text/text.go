package text

import (
	"bufio"
	"bytes"
	"io"

	"nmu/internal/matio/internal/input"
)

// MaxLine is the longest line of a text file of short lines, in bytes.
const MaxLine = 1 << 16

// Reader is a text file.
type Reader struct {
	*bufio.Reader
	Line  int // number of the line that LineBytes returned
	meter *meter
}

// New returns the text in r, behind a UTF-8 byte order mark if there is one.
func New(f *input.File, r io.Reader) *Reader {
	m := &meter{f: f, r: r}
	t := &Reader{Reader: bufio.NewReaderSize(m, MaxLine), meter: m}
	if t.HasPrefix("\xef\xbb\xbf") {
		t.Discard(3)
	}
	return t
}

// HasPrefix says whether prefix comes next.
func (t *Reader) HasPrefix(prefix string) bool {
	b, _ := t.Peek(len(prefix)) // what is wrong shows when the text is read
	return string(b) == prefix
}

// Wide says whether the text is in UTF-16, by its mark or by the zeros in a first
// character of ASCII.
func (t *Reader) Wide() bool {
	b, _ := t.Peek(2)
	return len(b) == 2 && (string(b) == "\xff\xfe" || string(b) == "\xfe\xff" || (b[0] == 0) != (b[1] == 0))
}

// Lines returns the text with line feeds for the carriage returns that alone end its
// lines, as those of old Macintosh programs, if the first part has no others.
func (t *Reader) Lines() *bufio.Reader {
	b, _ := t.Peek(MaxLine)
	if bytes.IndexByte(b, '\r') < 0 || bytes.IndexByte(b, '\n') >= 0 {
		return t.Reader
	}
	return bufio.NewReader(returns{t.Reader})
}

// returns makes line feeds of carriage returns.
type returns struct{ io.Reader }

func (r returns) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// LineBytes returns the next line without its end. It is valid until the next
// call. At the end of the text the error is io.EOF; a line longer than MaxLine
// is bufio.ErrBufferFull.
func (t *Reader) LineBytes() ([]byte, error) {
	b, err := t.ReadSlice('\n')
	if err == io.EOF && len(b) > 0 {
		err = nil
	}
	t.Line++
	t.EndRecord()
	return bytes.TrimRight(b, "\r\n"), err
}

// Separated says what separates the cells of a record.
func (t *Reader) Separated(comma byte) { t.meter.comma = comma }

// EndRecord says that numbers were made of what was read.
func (t *Reader) EndRecord() { t.meter.need = 0 }

// Field returns the first field of b, fields being separated by space, and what
// follows it.
func Field(b []byte) (first, rest []byte) {
	i := 0
	for i < len(b) && IsSpace(b[i]) {
		i++
	}
	j := i
	for j < len(b) && !IsSpace(b[j]) {
		j++
	}
	return b[i:j], b[j:]
}

// IsSpace says whether c separates fields.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// meter is a stream of text of which a record grows in memory until numbers are
// made of it: the stream ends with an error where one outgrows the memory.
type meter struct {
	f     *input.File
	r     io.Reader
	comma byte  // what separates cells
	need  int64 // bytes of memory for what was read since the last record
}

const (
	// recordBytes is what encoding/csv takes for one byte of a record, with what
	// slices leave behind as they grow: the line, its text without quotes, a string.
	recordBytes = 12
	// cellBytes is what it takes for a cell beside its bytes: a string, a place in
	// the text and one in the line.
	cellBytes = 200
	// recordFloor is taken without asking: what is buffered, and short comments.
	recordFloor = 1 << 21
)

func (m *meter) Read(b []byte) (int, error) {
	if m.need > recordFloor {
		if err := m.f.Fits(m.need, "a line of it"); err != nil {
			return 0, err
		}
	}
	n, err := m.r.Read(b)
	m.need += recordBytes * int64(n)
	if m.comma != 0 {
		m.need += cellBytes * int64(bytes.Count(b[:n], []byte{m.comma}))
	}
	return n, err
}
