package table

import (
	"errors"
	"strconv"
	"strings"
)

// record is a row as text.
type record struct {
	cells []string
	line  int
}

// fewestCounted is how many rows a column that counts them must have to be taken for
// labels, and how many columns a row that counts them to be taken for names.
const fewestCounted = 3

// fewestRising is how many rows a column that alone increases must have to be taken for
// labels, such as wavelengths or times, under a header.
const fewestRising = 8

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

// parseNumber is strconv.ParseFloat for what other programs take for a number: without
// the underscores and the hexadecimal digits of Go, and with the D of Fortran's
// exponents where a point or a sign shows that it is one.
func parseNumber(s string) (float64, error) {
	if strings.ContainsAny(s, "_xX") {
		return 0, strconv.ErrSyntax
	}
	if d := strings.IndexAny(s, "dD"); d > 0 && (strings.Contains(s[:d], ".") || d+1 < len(s) && (s[d+1] == '+' || s[d+1] == '-')) {
		s = s[:d] + "e" + s[d+1:]
	}
	return strconv.ParseFloat(s, 64)
}
