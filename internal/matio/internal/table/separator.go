package table

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"nmu/internal/matio/internal/text"
)

// sample returns the first lines of the buffered text without comments. Lines behind the first
// are complete.
func sample(t *text.Reader) [][]byte {
	b, err := t.Peek(text.MaxLine)
	end := []byte("\n")
	if !bytes.Contains(b, end) {
		end = []byte("\r")
	}
	var lines [][]byte
	for len(b) > 0 && len(lines) < 50 {
		line, rest, found := bytes.Cut(b, end)
		b = rest
		if !found && err == nil && len(lines) > 0 {
			break
		}
		line = bytes.TrimRight(line, "\r")
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// above returns the cells of the last line that begins with # above the rows, without the sign, and the number of
// such lines.
func above(t *text.Reader, sep rune) (cells []string, n int) {
	b, _ := t.Peek(text.MaxLine)
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		line, b = bytes.TrimRight(line, "\r"), rest
		switch {
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case line[0] != '#':
			return cells, n
		}
		n++
		cells = cut(bytes.TrimLeft(line, "# "), sep)
		for i, cell := range cells {
			cells[i] = strings.TrimLeft(cell, "# ")
		}
	}
	return cells, n
}

// separators are the separators of cells, in the order in which they are considered.
var separators = []rune{'\t', ';', ',', '|', ' '}

// separator finds the separator of the cells of some lines. All lines must have it equally
// often. One that leaves numbers between separators is preferred. If no separator qualifies,
// the first line decides.
func separator(lines [][]byte, tabs bool) rune {
	if tabs || len(lines) == 0 {
		if tabs {
			return '\t'
		}
		return ','
	}
	var even, there rune
	for _, sep := range separators {
		last, same := evenly(lines, sep)
		if there == 0 && len(cut(lines[0], sep)) > 1 {
			there = sep
		}
		if !same || sep == ' ' && even != 0 && !isNumber(last[0]) && strings.ContainsRune(last[0], even) {
			continue // labels with a blank in rows that another separator cuts
		}
		if even == 0 {
			even = sep
		}
		numeric := true
		for _, cell := range last[1:] {
			numeric = numeric && (isNumber(cell) || isMissing(cell))
		}
		if numeric {
			return sep
		}
	}
	switch {
	case even != 0:
		return even
	case there != 0:
		return there
	}
	return ','
}

// evenly returns the cells of the last line, and says whether a separator gives all lines equally many cells, more than
// one. The first line may have one cell less.
func evenly(lines [][]byte, sep rune) (last []string, ok bool) {
	if len(lines) == 0 {
		return nil, false
	}
	last = cut(lines[len(lines)-1], sep)
	n := len(last)
	for i, line := range lines {
		if m := len(cut(line, sep)); n < 2 || m != n && (i > 0 || m != n-1) {
			return last, false
		}
	}
	return last, true
}

// cut splits a line into cells without looking at other lines.
func cut(line []byte, sep rune) []string {
	s := string(line)
	if sep == ' ' {
		s = strings.TrimSpace(s)
	}
	var cells []string
	begin, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := rune(s[i]); {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == sep, sep == ' ' && c == '\t':
			cells = append(cells, s[begin:i])
			for sep == ' ' && text.IsSpace(s[i+1]) { // not the last: s is trimmed
				i++
			}
			begin = i + 1
		}
	}
	cells = append(cells, s[begin:])
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.Trim(strings.TrimSpace(cell), `"`))
	}
	return cells
}

// blanks replaces every run of blanks and tabs within a line by a tab, except in quotes, and
// removes those at its ends.
type blanks struct {
	r       *bufio.Reader
	quoted  bool
	start   bool // of a line
	pending bool // a tab
}

func (b *blanks) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		c, err := b.r.ReadByte()
		if err != nil {
			if n > 0 && err == io.EOF {
				return n, nil
			}
			return n, err
		}
		switch {
		case b.quoted:
		case c == ' ' || c == '\t':
			b.pending = !b.start
			continue
		case c == '\r' || c == '\n':
			b.pending = false
		}
		if b.pending {
			b.pending = false
			b.r.UnreadByte() // cannot fail behind ReadByte
			c = '\t'
		} else {
			b.quoted = b.quoted != (c == '"')
			b.start = c == '\n' && !b.quoted
		}
		p[n] = c
		n++
	}
	return n, nil
}

// excelSeparator reads the line sep=, which tells Excel the separator.
func excelSeparator(t *text.Reader) (sep rune) {
	head, _ := t.Peek(len("\"sep=;\"\r\n"))
	line, rest, found := strings.Cut(string(head), "\n")
	line = strings.Trim(strings.TrimSuffix(line, "\r"), `"`)
	if !found || len(line) != 5 || !strings.EqualFold(line[:4], "sep=") || !strings.ContainsRune(",;\t|", rune(line[4])) {
		return 0
	}
	t.Discard(len(head) - len(rest))
	return rune(line[4])
}
