// Package text reads the lines of a text file. A line that exceeds the memory limit is an
// error.
package text

import (
	"bufio"
	"bytes"
	"io"

	"nmu/internal/matio/internal/input"
)

// MaxLine is the largest length in bytes of a line that LineBytes returns.
const MaxLine = 1 << 16

// Reader reads a text file.
type Reader struct {
	*bufio.Reader
	Line    int // number of the line that LineBytes returned
	Skipped int // lines of Skip
	meter   *meter
}

// New returns a Reader of r. It skips a UTF-8 byte order mark.
func New(f *input.File, r io.Reader) *Reader {
	m := &meter{f: f, r: r, begins: true}
	t := &Reader{Reader: bufio.NewReaderSize(m, MaxLine), meter: m}
	if t.HasPrefix("\xef\xbb\xbf") {
		t.Discard(3)
	}
	return t
}

// HasPrefix says whether the unread text begins with prefix.
func (t *Reader) HasPrefix(prefix string) bool {
	b, _ := t.Peek(len(prefix)) // what is wrong shows when the text is read
	return string(b) == prefix
}

// Wide says whether the text is in UTF-16, from its byte order mark or from one zero byte among
// the first two.
func (t *Reader) Wide() bool {
	b, _ := t.Peek(2)
	return len(b) == 2 && (string(b) == "\xff\xfe" || string(b) == "\xfe\xff" || (b[0] == 0) != (b[1] == 0))
}

// Lines makes the text one with line feeds, and returns it. If the first part has carriage returns and no line
// feeds, as in files of old Macintosh programs, each carriage return becomes a line feed.
func (t *Reader) Lines() *bufio.Reader {
	if b, _ := t.Peek(MaxLine); bytes.IndexByte(b, '\r') >= 0 && bytes.IndexByte(b, '\n') < 0 {
		t.Reader = bufio.NewReaderSize(returns{t.Reader}, MaxLine)
	}
	return t.Reader
}

// returns replaces carriage returns by line feeds.
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

// Skip discards lines. They count as Skipped, and not as comments.
func (t *Reader) Skip(lines int) {
	end := byte('\n')
	if b, _ := t.Peek(MaxLine); bytes.IndexByte(b, end) < 0 {
		end = '\r' // as in Lines
	}
	for t.Skipped += lines; lines > 0; lines-- {
		line, err := t.ReadSlice(end)
		if bytes.HasPrefix(line, []byte("#")) {
			t.meter.comments--
		}
		for err == bufio.ErrBufferFull {
			_, err = t.ReadSlice(end)
		}
	}
}

// LineBytes returns the next line without its end. It is valid until the next call. At the end
// of the text the error is io.EOF. For a line longer than MaxLine the error is
// bufio.ErrBufferFull.
func (t *Reader) LineBytes() ([]byte, error) {
	b, err := t.ReadSlice('\n')
	if err == io.EOF && len(b) > 0 {
		err = nil
	}
	t.Line++
	t.EndRecord()
	return bytes.TrimRight(b, "\r\n"), err
}

// Comments returns how many lines begin with #, of what the Reader has taken from its file.
func (t *Reader) Comments() int { return t.meter.comments }

// Separated sets the separator of cells, for the count of memory.
func (t *Reader) Separated(comma byte) { t.meter.comma = comma }

// EndRecord says that the text read so far has been converted to numbers.
func (t *Reader) EndRecord() { t.meter.need = 0 }

// Field returns the first field of b, and the rest of b. Space separates fields.
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

// meter counts the memory of a record until it is converted to numbers. If a record exceeds the
// memory limit, the stream ends with an error.
type meter struct {
	f     *input.File
	r     io.Reader
	comma byte  // what separates cells
	need  int64 // bytes of memory for what was read since the last record

	comments int  // lines that begin with #
	begins   bool // a line begins with the next byte
}

const (
	// recordBytes is the memory of encoding/csv for one byte of a record: the line, its text
	// without quotes, and a string, including what growing slices leave behind.
	recordBytes = 12
	// cellBytes is its memory for a cell beside the cell's bytes: a string, and places in the
	// text and in the line.
	cellBytes = 200
	// recordFloor is not counted: it covers buffers and short comments.
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
	if n > 0 {
		m.comments += bytes.Count(b[:n], []byte("\n#"))
		if m.begins && b[0] == '#' {
			m.comments++
		}
		m.begins = b[n-1] == '\n'
	}
	if m.comma != 0 {
		m.need += cellBytes * int64(bytes.Count(b[:n], []byte{m.comma}))
	}
	return n, err
}
