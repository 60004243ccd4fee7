package matio

import (
	"bufio"
	"bytes"
	"io"
)

// maxLine is the longest line of a text file of short lines, in bytes.
const maxLine = 1 << 16

// text is a text file.
type text struct {
	*bufio.Reader
	line  int // number of the line that lineBytes returned
	meter *meter
}

// newText returns the text in r, behind a UTF-8 byte order mark if there is one.
func newText(f *input, r io.Reader) *text {
	m := &meter{f: f, r: r}
	t := &text{Reader: bufio.NewReaderSize(m, maxLine), meter: m}
	if t.hasPrefix("\xef\xbb\xbf") {
		t.Discard(3)
	}
	return t
}

// hasPrefix says whether prefix comes next.
func (t *text) hasPrefix(prefix string) bool {
	b, _ := t.Peek(len(prefix)) // what is wrong shows when the text is read
	return string(b) == prefix
}

// wide says whether the text is in UTF-16, by its mark or by the zeros in a first
// character of ASCII.
func (t *text) wide() bool {
	b, _ := t.Peek(2)
	return len(b) == 2 && (string(b) == "\xff\xfe" || string(b) == "\xfe\xff" || (b[0] == 0) != (b[1] == 0))
}

// lines returns the text with line feeds for the carriage returns that alone end its
// lines, as those of old Macintosh programs, if the first part has no others.
func (t *text) lines() *bufio.Reader {
	b, _ := t.Peek(maxLine)
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

// lineBytes returns the next line without its end. It is valid until the next
// call. At the end of the text the error is io.EOF; a line longer than maxLine
// is bufio.ErrBufferFull.
func (t *text) lineBytes() ([]byte, error) {
	b, err := t.ReadSlice('\n')
	if err == io.EOF && len(b) > 0 {
		err = nil
	}
	t.line++
	t.endRecord()
	return bytes.TrimRight(b, "\r\n"), err
}

// separated says what separates the cells of a record.
func (t *text) separated(comma byte) { t.meter.comma = comma }

// endRecord says that numbers were made of what was read.
func (t *text) endRecord() { t.meter.need = 0 }

// field returns the first field of b, fields being separated by space, and what
// follows it.
func field(b []byte) (first, rest []byte) {
	i := 0
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	j := i
	for j < len(b) && !isSpace(b[j]) {
		j++
	}
	return b[i:j], b[j:]
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// meter is a stream of text of which a record grows in memory until numbers are
// made of it: the stream ends with an error where one outgrows the memory.
type meter struct {
	f     *input
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
