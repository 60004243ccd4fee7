package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

var (
	errNone = errors.New("no number")
	errMark = errors.New("not clear what the marks in the number are")
)

// isMissing says whether a cell says that there is no number.
func isMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "nil", "-", "--", "–", "—", "?", ".", "#name?":
		return true
	}
	return len(cell) > 2 && cell[0] == '#' && cell[len(cell)-1] == '!' // as Excel's #DIV/0!
}

// marks leaves out the marks of a number.
var marks = strings.NewReplacer(".", "", ",", "")

// isNumber says whether a cell holds a number, whatever its decimal sign and those of
// thousands are.
func isNumber(cell string) bool {
	if isMissing(cell) {
		return false
	}
	if last := strings.LastIndexAny(cell, ".,"); last >= 0 {
		cell = marks.Replace(cell[:last]) + "." + cell[last+1:]
	}
	_, err := parseNumber(cell)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// decimals reads numbers that all have the same decimal sign, which the first that has
// one shows.
type decimals struct {
	mark byte // the decimal sign; 0 while there was none
	list bool // semicolons do, as where the comma is the decimal sign

	doubt bool // no number yet shows that mark is not one of thousands
	first string
}

// parse returns the number in a cell; errNone if it has none, errMark if its points
// and commas do not say what they are.
func (n *decimals) parse(cell string) (float64, error) {
	if isMissing(cell) {
		return 0, errNone
	}
	at := strings.IndexAny(cell, ".,")
	if at < 0 {
		return parseNumber(cell)
	}
	mark := cell[at]
	switch {
	case strings.ContainsAny(cell[at+1:], ".,"): // that looks like thousands
		if _, err := parseNumber(marks.Replace(cell)); err != nil {
			return 0, err
		}
		return 0, errMark
	case n.mark != 0 && n.mark != mark:
		if !isNumber(cell) {
			return parseNumber(cell)
		}
		return 0, errMark
	}
	x, err := parseNumber(cell[:at] + "." + cell[at+1:])
	if err != nil {
		return x, err
	}
	if n.mark == 0 {
		n.mark, n.doubt, n.first = mark, n.list == (mark == '.'), strings.Clone(cell)
	}
	n.doubt = n.doubt && thousands(cell, at)
	return x, nil
}

// thousands says whether the mark at a place of a number may be one of thousands.
func thousands(cell string, at int) bool {
	before := strings.TrimLeft(cell[:at], "+-")
	return len(before) >= 1 && len(before) <= 3 && before[0] != '0' && len(cell)-at == 4
}

// count follows a column that may count the rows, from 0 or 1.
type count struct {
	n, from int
	broken  bool
}

func (c *count) add(cell string) {
	x, err := strconv.Atoi(cell)
	if c.n == 0 {
		c.from = x
		c.broken = x != 0 && x != 1
	}
	c.broken = c.broken || err != nil || x != c.from+c.n || cell != strconv.Itoa(x)
	c.n++
}

// labels says whether the column counts enough rows.
func (c *count) labels() bool { return !c.broken && c.n >= fewestCounted }

// countUp says whether a row counts the columns.
func countUp(cells []string) bool {
	var c count
	for _, cell := range cells {
		c.add(cell)
	}
	return c.labels()
}

// sample returns the first lines of a text that are no comments, as far as they are
// buffered: all but the first are whole.
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

// separator finds what separates the cells of some lines: what all have equally often
// and what leaves numbers, else what all have equally often, else what the first one
// has.
func separator(lines [][]byte, tabs bool) rune {
	if tabs || len(lines) == 0 {
		if tabs {
			return '\t'
		}
		return ','
	}
	candidates := []rune{'\t', ';', ',', '|', ' '}
	var even, there rune
	for _, sep := range candidates {
		n := len(cut(lines[len(lines)-1], sep))
		same := n > 1
		for i, line := range lines {
			m := len(cut(line, sep))
			same = same && (m == n || i == 0 && m == n-1)
		}
		if there == 0 && len(cut(lines[0], sep)) > 1 {
			there = sep
		}
		if !same {
			continue
		}
		if even == 0 {
			even = sep
		}
		numeric := true
		for _, cell := range cut(lines[len(lines)-1], sep)[1:] {
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

// cut cuts a line into cells, as far as that can be done without its neighbours.
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

// blanks turns every run of blanks and tabs within a line into a tab, but in quotes,
// and leaves out those at its ends.
type blanks struct {
	r       *bufio.Reader
	quoted  bool
	start   bool // of a line
	pending bool // a tab
}

func (b *blanks) Read(p []byte) (int, error) {
	n := 0
	for n+2 <= len(p) {
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
		if c == '"' {
			b.quoted = !b.quoted
		}
		if b.pending {
			p[n] = '\t'
			n++
		}
		b.pending, b.start = false, c == '\n' && !b.quoted
		p[n] = c
		n++
	}
	return n, nil
}

// badCell is the error for a cell that is no number.
func (b *table) badCell(rec record, j int, err error) error {
	at := fmt.Sprintf("row %d, column %d", b.read+1, j+1)
	if names := b.names0(); j < len(names) && names[j] != "" {
		at += fmt.Sprintf(" (%.40q)", names[j])
	}
	cell := rec.cells[j]
	fail := func(kind error, format string, args ...any) error {
		return fmt.Errorf("%s: line %d: %s %s: %w", b.f.Path, rec.line, at, fmt.Sprintf(format, args...), kind)
	}
	switch {
	case err == errNone && cell == "":
		return fail(ErrMissing, "is empty")
	case err == errNone:
		return fail(ErrMissing, "is %.40q", cell)
	case errors.Is(err, strconv.ErrRange):
		return fail(input.ErrFormat, "is %.40q, beyond float64", cell)
	case err == errMark:
		return fail(ErrDecimal, "is %.40q", cell)
	case b.read == 0 && b.header == nil:
		return fail(ErrText, "is %.40q, not a number (nor is the row a header, as others of its cells are)", cell)
	}
	return fail(ErrText, "is %.40q, not a number", cell)
}
