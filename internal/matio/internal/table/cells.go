package table

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// record is a row as text.
type record struct {
	cells []string
	line  int
}

// fewestCounted is the least number of rows for a counting column to be labels, and of columns
// for a counting row to be names.
const fewestCounted = 3

// fewestRising is the least number of rows for a column to be labels because it alone
// increases or decreases, under a header. Examples are wavelengths and times.
const fewestRising = 8

var (
	errNone = errors.New("no number")
	errMark = errors.New("not clear what the marks in the number are")
)

// isMissing says whether a cell marks a missing number.
func isMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "nil", "-", "--", "–", "—", "?", ".", "#name?":
		return true
	}
	return len(cell) > 2 && cell[0] == '#' && cell[len(cell)-1] == '!' // as Excel's #DIV/0!
}

// limitIn returns the number in a cell such as <0.05, which is below a limit of detection. ok is false for other cells.
func limitIn(cell string) (number string, ok bool) {
	number = strings.TrimLeft(cell, "<≤= ")
	return number, (strings.HasPrefix(cell, "<") || strings.HasPrefix(cell, "≤")) && isNumber(number)
}

// number returns the number that a cell stands for. The error is errNone for a missing one.
func (b *table) number(cell string) (float64, error) {
	if k := slices.Index(b.Words, cell); k >= 0 {
		b.worded[k]++
		return 0, errNone
	}
	limit, below := limitIn(cell)
	if !below || b.Below == "" {
		x, err := b.decimals.parse(cell)
		if err == nil && b.Missing != Allow && b.f.Meaning.IsCode(x) { // with Allow it becomes NaN unless the column is one of labels
			b.f.Meant(x)
			return 0, errNone
		}
		return x, err
	}
	if b.below++; b.below == 1 {
		b.firstBelow = strings.Clone(cell)
	}
	x, err := b.decimals.parse(limit)
	switch {
	case err != nil:
	case b.Below == Unknown:
		return 0, errNone
	case b.Below == Half:
		x /= 2
	}
	return x, err
}

// plain returns rows without the texts that Options gives a meaning: cells of Words are empty, and those below a limit
// are the limit.
func (b *table) plain(rows []record) []record {
	if b.Words == nil && b.Below == "" {
		return rows
	}
	plain := slices.Clone(rows)
	for i, rec := range plain {
		cells := slices.Clone(rec.cells)
		for j, cell := range cells {
			if limit, ok := limitIn(cell); ok && b.Below != "" {
				cells[j] = limit
			}
			if slices.Contains(b.Words, cell) {
				cells[j] = ""
			}
		}
		plain[i].cells = cells
	}
	return plain
}

// sayCells says how the cells are separated and written, and notes the cells to which Options gives a meaning.
func (b *table) sayCells() {
	if b.sep != ',' {
		b.f.Kind += ", cells separated by " + map[rune]string{'|': "bars", ';': "semicolons", '\t': "tabs", ' ': "blanks"}[b.sep]
		b.f.Guessed = b.f.Guessed || b.Separator == 0
	}
	if b.decimals.mark == ',' {
		b.f.Kind += ", the decimal sign is a comma"
		b.f.Guessed = b.f.Guessed || b.Decimal == 0
	}
	for k, word := range b.Words {
		if n := b.worded[k]; n > 0 {
			b.f.Note("%s %.40q and no number", input.Counted(n, "cell holds", "cells hold"), word)
		}
	}
	switch {
	case b.Below == "" || b.below == 0 && b.beside:
	case b.below == 0:
		b.f.Note("no cell is below a limit of detection")
	default:
		what := map[Below]string{Half: "half of their limit", Limit: "their limit", Unknown: "missing"}[b.Below]
		b.f.Note("%s below a limit of detection, such as %.40q, and taken for %s", input.Counted(b.below, "cell is", "cells are"), b.firstBelow, what)
	}
}

// marks removes points and commas from a number.
var marks = strings.NewReplacer(".", "", ",", "")

// isNumber says whether a cell holds a number, with any decimal sign and thousands separators.
func isNumber(cell string) bool {
	if isMissing(cell) {
		return false
	}
	if last := strings.LastIndexAny(cell, ".,"); last >= 0 {
		cell = marks.Replace(cell[:last]) + "." + cell[last+1:]
	}
	_, err := element.Parse(cell)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// decimals reads numbers that share a decimal sign. The first number with a sign sets it.
type decimals struct {
	mark  byte // the decimal sign; 0 while there was none
	given byte // the sign of Options; 0 for none
	list  bool // semicolons do, as where the comma is the decimal sign

	doubt bool // no number yet shows that mark is not one of thousands
	first string
}

// parse returns the number in a cell. The error is errNone if the cell is missing, errMark if
// the meaning of its points and commas is unclear.
func (n *decimals) parse(cell string) (float64, error) {
	if isMissing(cell) {
		return 0, errNone
	}
	at := strings.IndexAny(cell, ".,")
	if at < 0 {
		return element.Parse(cell)
	}
	mark := cell[at]
	switch {
	case strings.ContainsAny(cell[at+1:], ".,"): // that looks like thousands
		if _, err := element.Parse(marks.Replace(cell)); err != nil {
			return 0, err
		}
		return 0, errMark
	case n.mark != 0 && n.mark != mark:
		if !isNumber(cell) {
			return element.Parse(cell)
		}
		return 0, errMark
	}
	x, err := element.Parse(cell[:at] + "." + cell[at+1:])
	if err != nil {
		return x, err
	}
	if n.mark == 0 {
		n.mark, n.doubt, n.first = mark, n.given != mark && n.list == (mark == '.'), strings.Clone(cell)
	}
	n.doubt = n.doubt && thousands(cell, at)
	return x, nil
}

// thousands says whether the mark cell[at] may be a thousands separator.
func thousands(cell string, at int) bool {
	before := strings.TrimLeft(cell[:at], "+-")
	return len(before) >= 1 && len(before) <= 3 && before[0] != '0' && len(cell)-at == 4
}

// count checks whether the cells of a column count up by one, from 0 or 1.
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

// labels says whether the column counts up over enough rows.
func (c *count) labels() bool { return !c.broken && c.n >= fewestCounted }

// countUp says whether a row counts up over enough columns.
func countUp(cells []string) bool {
	var c count
	for _, cell := range cells {
		c.add(cell)
	}
	return c.labels()
}
