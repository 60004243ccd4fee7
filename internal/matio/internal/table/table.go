// Package table reads and writes tables of numbers in text files: .csv, .tsv and text in
// columns.
//
// Open guesses from the first rows what separates the cells, whether the first row is a header and
// whether the first column holds labels (recognise), adds row after row to a store (add), and
// decides at the end what only all rows can tell (finish): columns that count, decimal signs,
// missing cells. The rules are in the package comment of matio.
package table

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
	"nmu/internal/matio/internal/text"
)

// table is a text file while it is read into a matrix.
type table struct {
	*Options
	f        *input.File
	next     func() (record, error) // returns the next row, valid until the next call
	csv      *csv.Reader            // of a text
	sep      rune                   // of the cells
	decimals decimals
	width    int      // cells of a row
	header   []string // the first row, if it is one
	above    bool     // the header is a line that begins with #
	comments int      // lines that begin with #, among the rows and behind them
	labels   bool     // the first column is one of labels
	about    int      // columns behind the labels that describe the rows
	under    int      // lines behind the header that describe the columns
	tail     int      // columns at the end without a name or a number
	keep     []int    // the columns of numbers
	short    bool     // the header has no cell for the labels

	held       [][2]int // lines of separators alone, and their cells
	blank      int      // such lines that are left out among rows with labels
	firstBlank int      // the line of the first one
	data       *store.Elements
	row        []float64 // the current one
	rows       int       // kept
	read       int       // rows of the file behind the header
	gaps       []bool    // by column: has a missing cell
	absent     int       // missing cells
	worded     []int     // by word of Options.Words: how many cells are that
	below      int       // cells below a limit of detection
	names      []string  // of the rows; the first alone where they need not fit in memory
	named      count     // whether they count the rows

	counted    [2]count // whether the first column counts the rows: all, or all but the first
	firstBelow string   // the first cell below a limit of detection

	firstRow  bool    // whether the first row counts the columns
	fractions [2]bool // whether numbers have a decimal sign or are not whole: all, or behind the first row
	series    series
	text      bool     // a label is no number
	some      []string // the first labels
}

// line is next for a text: a row without blanks around its cells.
func (b *table) line(t *text.Reader) (record, error) {
	cells, err := b.csv.Read()
	if err != nil {
		if err == io.EOF {
			return record{}, err
		}
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			return record{}, b.f.BadLine(t.Skipped+pe.Line, "byte %d of the line: %v", pe.Column, pe.Err)
		}
		return record{}, b.f.ReadError(b.csv.InputOffset(), err)
	}
	t.EndRecord()
	line, _ := b.csv.FieldPos(0)
	for j, cell := range cells {
		cells[j] = strings.TrimSpace(cell)
	}
	return record{cells, t.Skipped + line}, nil
}

// rest calls do for each of the rows in head, which were read before, and for each further row.
func (b *table) rest(head []record, do func(record) error) error {
	for _, rec := range head {
		if err := do(rec); err != nil {
			return err
		}
	}
	for {
		rec, err := b.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(rec)
		}
		if err != nil {
			return err
		}
	}
}

// names0 returns the header with a cell for every column.
func (b *table) names0() []string {
	if b.short {
		return append([]string{""}, b.header...)
	}
	return b.header
}

// take is Add, but holds lines of separators alone back until another line follows. At the end of a sheet, and among
// rows with labels, they hold nothing, and are left out. So are lines of blanks alone, as those without any character.
func (b *table) take(rec record) error {
	if b.width > 1 && len(rec.cells) == 1 && rec.cells[0] == "" {
		return nil
	}
	if len(rec.cells) > 1 && strings.Join(rec.cells, "") == "" {
		if b.labels {
			b.blank, b.firstBlank = b.blank+1, cmp.Or(b.firstBlank, rec.line)
			return nil
		}
		b.held = append(b.held, [2]int{rec.line, len(rec.cells)})
		return b.f.Reserve(32, input.Reading)
	}
	if len(b.held) > 0 && b.Missing == "" {
		return fmt.Errorf("%s: line %d: row %d has no cell with a number, and lines with numbers follow; delete the line if it is blank: %w", b.f.Path, b.held[0][0], b.read+1, ErrMissing)
	}
	for _, h := range b.held {
		if err := b.Add(record{make([]string, h[1]), h[0]}); err != nil {
			return err
		}
	}
	b.held = b.held[:0]
	return b.Add(rec)
}

// Add adds a row of numbers.
func (b *table) Add(rec record) error {
	if len(rec.cells) == 1 && b.width > 1 {
		return b.f.BadLine(rec.line, "1 cell, %.40q, but the first row has %d; delete the line, or begin it with #", rec.cells[0], b.width)
	}
	if len(rec.cells) != b.width {
		return b.f.BadLine(rec.line, "%d cells, but the first row has %d", len(rec.cells), b.width)
	}
	for j := b.width - b.tail; j < b.width; j++ {
		if rec.cells[j] != "" {
			return b.f.BadLine(rec.line, "row %d, column %d is %.40q, but this column at the end is empty in all rows before; delete the separators at their ends, or fill the column", b.read+1, j+1, rec.cells[j])
		}
	}
	gap := false
	for k, j := range b.keep {
		x, err := b.number(rec.cells[j])
		switch {
		case err == errNone && b.Missing != "":
			gap, b.gaps[k] = true, true
			b.absent++
			if b.Missing == Mean || b.Missing == Allow {
				x = math.NaN()
			}
		case err != nil:
			return b.badCell(rec, j, err)
		}
		b.row[k] = x
		fraction := err == nil && (x != math.Trunc(x) || strings.ContainsAny(rec.cells[j], ".,"))
		b.fractions[0] = b.fractions[0] || fraction
		b.fractions[1] = b.fractions[1] || fraction && b.read > 0
	}
	if len(b.keep) > 0 {
		b.counted[0].add(rec.cells[b.keep[0]])
		if b.read > 0 {
			b.counted[1].add(rec.cells[b.keep[0]])
		}
	}
	b.read++
	if gap && b.Missing == DropRows {
		return nil
	}
	if b.labels {
		name := strings.Clone(rec.cells[0])
		if b.f.Spill == nil {
			if err := b.f.Reserve(int64(len(name))+input.NameBytes, input.Reading); err != nil {
				return err
			}
		}
		if b.f.Spill == nil || len(b.names) == 0 {
			b.names = append(b.names, name)
		}
		b.named.add(name)
		if len(b.some) < mostCompared {
			b.some = append(b.some, name)
		}
		b.text = b.text || !isNumber(name)
	}
	b.series.add(b.row)
	for _, x := range b.row {
		if err := b.data.Add(x); err != nil {
			return err
		}
	}
	b.rows++
	return nil
}

// badCell returns the error for a cell that is no number.
func (b *table) badCell(rec record, j int, err error) error {
	at := fmt.Sprintf("row %d, column %d", b.read+1, j+1)
	if names := b.names0(); j < len(names) && names[j] != "" {
		at += fmt.Sprintf(" (%.40q)", names[j])
	}
	cell := rec.cells[j]
	if rec.line > 0 {
		at = fmt.Sprintf("line %d: ", rec.line) + at
	}
	fail := func(kind error, format string, args ...any) error {
		return fmt.Errorf("%s: %s %s: %w", b.f.Path, at, fmt.Sprintf(format, args...), kind)
	}
	_, below := limitIn(cell)
	switch {
	case err == errNone && cell == "":
		return fail(ErrMissing, "is empty")
	case err == errNone:
		return fail(ErrMissing, "is %.40q", cell)
	case errors.Is(err, strconv.ErrRange):
		return fail(input.ErrFormat, "is %.40q, beyond the range of float64", cell)
	case err == errMark:
		return fail(ErrDecimal, "is %.40q", cell)
	case b.read == 3 && b.width == 1 && len(strings.Fields(cell)) == 3:
		return fail(ErrText, "is %.40q; if three lines of sizes begin a bag of words (docword), delete them, and read the rest as triples", cell)
	case below:
		return fail(ErrLimit, "is %.40q, a limit and no number", cell)
	case b.read == 0 && b.header == nil:
		return fail(ErrText, "is %.40q, not a number; the row is not a header either, as other cells of it are numbers", cell)
	}
	if number := strings.TrimRight(cell, "*†‡§¶#^ "); number != cell && isNumber(number) {
		return fail(ErrText, "is %.40q, a number with a mark behind it; delete the mark", cell)
	}
	if b.labels && j == 1 && b.width == 3 && isText(cell) && isNumber(rec.cells[2]) {
		return fail(ErrText, "is %.40q, not a number; if columns 1 and 2 are the row and the column of a value in column 3, this is a list and no matrix, which %s reads", cell, b.f.Setting("triples", ""))
	}
	return fail(ErrText, "is %.40q, not a number; if it stands for a missing one, write NA", cell)
}
