package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/input"
)

// recognise finds the header, the labels and the columns of numbers from the first rows.
func (b *table) recognise(head []record) error {
	if len(head) == 0 {
		return nil
	}
	b.header = head[0].cells
	head = b.plain(head)
	first, body := head[0].cells, head[1:]
	if b.Header == "" && !b.above && doubtfulHeader(first, body) && !isHeader(first, body) {
		return fmt.Errorf("%s: row 1, %.60q, may be column names or data: %w", b.f.Path, strings.Join(first, " "), ErrHeader)
	}
	switch b.Header {
	case Absent:
		b.header, body = nil, head
	case Present:
	default:
		if !b.above && !isHeader(first, body) {
			b.header, body = nil, head
		}
	}
	b.width = len(first)
	if len(body) > 0 {
		b.width = len(body[0].cells)
	}
	for j := b.width - 1; j > 0 && len(body) > 0 && (b.tail == 0 || len(b.header) == b.width); j-- {
		if len(b.header) == b.width && b.header[j] != "" || slices.ContainsFunc(body, func(rec record) bool { return len(rec.cells) != b.width || rec.cells[j] != "" }) {
			break
		}
		b.tail++
	}
	if b.header != nil && len(body) > 0 {
		switch n := len(b.header); {
		case n == b.width:
		case n == b.width-1 && b.tail > 0: // the header alone does not end with a separator
		case n == b.width-1 && b.RowLabels != Absent: // as R writes it
			b.short = true
		case len(body) > 1 && n == len(body[1].cells): // the first row of numbers is the odd one
			return b.f.BadLine(body[0].line, "%s, but the first row has %d", input.Counted(b.width, "cell", "cells"), n)
		default:
			return b.f.BadLine(head[0].line, "%s for %d columns; a line before the header must begin with #", input.Counted(n, "name", "names"), b.width)
		}
	}
	if names := b.names0(); len(names) > 2 && names[0] == "" && names[1] == "" && !slices.Contains(b.Skip, "2") && b.RowLabels != Absent {
		if len(body) > 0 && strings.ContainsAny(names[2], ".,") && isNumber(names[2]) && isNumber(body[0].cells[0]) && isNumber(body[0].cells[1]) {
			return b.f.Unsupported("columns 1 and 2 have no name and hold numbers, as the coordinates of the points of a map, whose spectra are the rows: %s leaves them out, and %s with %s takes the rows for the pixels of a map", b.f.Setting("skip-columns", "1,2"), b.f.Setting("transpose", ""), b.f.Setting("map", "HxW"))
		}
		return fmt.Errorf("%s: columns 1 and 2 both have no name, so both look like row labels; leave column 2 out by its number: %w", b.f.Path, ErrText)
	}
	b.labels = b.RowLabels == Present || b.short || b.RowLabels == "" && b.isLabels(body)
	b.firstRow = b.Header == "" && b.header == nil && len(head) > 1 && countUp(first)
	for j := range b.width {
		if j == 0 && b.labels || j <= b.about && b.about > 0 || j >= b.width-b.tail {
			continue
		}
		b.keep = append(b.keep, j)
	}
	if err := b.skip(); err != nil {
		return err
	}
	b.row, b.gaps = make([]float64, len(b.keep)), make([]bool, len(b.keep))
	return nil
}

// isHeader says whether the first row holds names: none of its cells is a number, or
// it has none for the first column.
func isHeader(first []string, body []record) bool {
	if strings.Join(first, "") == "" {
		return false
	}
	if n := len(first) - 1; n >= fewestCounted && !isNumber(first[0]) && countUp(first[1:]) && len(body) > 0 && len(body[0].cells) == n+1 && !isNumber(body[0].cells[0]) {
		return true // a name for the labels, and numbers for the columns
	}
	if !slices.ContainsFunc(first, isNumber) {
		if len(body) > 0 && first[0] == "" && len(body[0].cells) > 0 && body[0].cells[0] != "" {
			return true
		}
		return !slices.ContainsFunc(first, isMissing) || len(body) > 0 && !slices.EqualFunc(first, body[0].cells, func(a, b string) bool { return isText(a) == isText(b) })
	}
	if len(body) == 0 || len(body[0].cells) == 0 {
		return false
	}
	second := body[0].cells
	return first[0] == "" && len(first) > 1 && second[0] != "" ||
		len(first) == len(second)-1 && second[len(second)-1] != ""
}

// namesAbove returns the names of columns in the cells of a line that begins with #, above the rows of head, or nil: one
// for each column, of which the first is no number, and none where blanks separate words. Empty cells do not count.
func namesAbove(cells []string, head []record, sep rune) []string {
	if len(head) == 0 || len(head[0].cells) < 2 || isHeader(head[0].cells, head[1:]) {
		return nil
	}
	if len(cells) > len(head[0].cells) {
		cells = slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })
	}
	if len(cells) != len(head[0].cells) || isNumber(cells[0]) || sep == ' ' && slices.ContainsFunc(cells, isNumber) {
		return nil
	}
	return cells
}

// isText says whether a cell holds neither a number nor a mark of a missing one.
func isText(cell string) bool { return !isNumber(cell) && !isMissing(cell) }

// isLabels says whether the first column holds names of rows.
func (b *table) isLabels(body []record) bool {
	if b.width < 2 {
		return false
	}
	if len(b.header) > 0 && namesLabels(b.header[0]) {
		return true
	}
	first := func(is func(string) bool) bool {
		return slices.ContainsFunc(body, func(rec record) bool { return is(rec.cells[0]) })
	}
	return !first(isOrnate) && first(isText)
}

// skip removes the columns that Options.Skip names. A word that is the name of a column and the number of another
// one is an error.
func (b *table) skip() error {
	names := b.names0()
	for _, word := range b.Skip {
		n, err := strconv.Atoi(word)
		number, named := err == nil && n >= 1 && n <= b.width, slices.Index(names, word)
		switch {
		case named < 0 && !number:
			return fmt.Errorf("%s: no column %q to skip: it is neither a name in the header nor a number from 1 to %d: %w", b.f.Path, word, b.width, input.ErrVar)
		case number && named >= 0 && named != n-1:
			return fmt.Errorf("%s: column %q to skip is the name of column %d, and the number of another; write +%d or +%d for the number: %w", b.f.Path, word, named+1, named+1, n, input.ErrVar)
		}
		b.keep = slices.DeleteFunc(b.keep, func(j int) bool {
			return number && j == n-1 || named >= 0 && j < len(names) && names[j] == word
		})
	}
	return nil
}
