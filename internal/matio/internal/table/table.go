package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
	"nmu/internal/matio/internal/text"
)

// Options says how a table in a text file is read. The zero value of a field stands
// for what the file itself shows; see the package comment of matio.
type Options struct {
	Separator rune     // of the cells: ',', ';', '\t', '|' or ' ', which stands for any run of blanks and tabs
	Decimal   rune     // '.' or ','
	Header    Presence // of column names in the first row
	RowLabels Presence // of row names in the first column
	Skip      []string // columns that are left out: their names, or their numbers from 1
	Missing   Missing  // what becomes of cells without a number
}

// Presence says whether something is there.
type Presence string

// The values of a Presence beside "", recognised.
const (
	Present Presence = "yes"
	Absent  Presence = "no"
)

// Presences are the words for a Presence that is given.
var Presences = []Presence{Present, Absent}

// Missing says what becomes of cells that are empty or hold NA, N/A, #N/A, NaN, null,
// none, - or ?, in capitals or not: "" makes them an error that wraps ErrMissing.
type Missing string

// The values of Missing beside "".
const (
	DropRows Missing = "drop-rows" // leaves out each row that has one
	DropCols Missing = "drop-cols" // leaves out each column that has one
	Zero     Missing = "zero"      // makes them 0
	Mean     Missing = "mean"      // makes them the mean of the other cells of their column
	Allow    Missing = "allow"     // makes them NaN
)

// WaysOfMissing are the words for Missing.
var WaysOfMissing = []Missing{DropRows, DropCols, Zero, Mean, Allow}

// Errors about cells, which wrap ErrFormat as well.
var (
	ErrMissing = fmt.Errorf("%w: a cell without a number", input.ErrFormat)
	ErrText    = fmt.Errorf("%w: a cell of text", input.ErrFormat)
	ErrDecimal = fmt.Errorf("%w: points and commas in numbers", input.ErrFormat)
)

// fewestCounted is how many rows a column that counts them must have to be taken for
// labels, and how many columns a row that counts them to be taken for names.
const fewestCounted = 3

// fewestRising is how many rows a column that alone increases must have to be taken for
// labels, such as wavelengths or times, under a header.
const fewestRising = 8

// table is a text file on its way to a matrix.
type table struct {
	*Options
	f        *input.File
	csv      *csv.Reader
	decimals decimals
	width    int      // cells of a row
	header   []string // the first row, if it is one
	labels   bool     // the first column is one of labels
	tail     bool     // every row ends with a separator
	keep     []int    // the columns of numbers
	short    bool     // the header has no cell for the labels

	data   store.Elements
	row    []float64 // the current one
	rows   int       // kept
	read   int       // rows of the file behind the header
	gaps   []bool    // by column: has a missing cell
	absent int       // missing cells
	names  []string  // of the rows; the first alone where they need not fit in memory
	named  count     // whether they count the rows

	counted   [2]count // whether the first column counts the rows: all, or all but the first
	firstRow  bool     // whether the first row counts the columns
	fractions [2]bool  // whether numbers have a decimal sign or are not whole: all, or behind the first row
	rises     rises
	text      bool // a label is no number
	latin     bool // a name is not in UTF-8
}

// record is a row as text.
type record struct {
	cells []string
	line  int
}

// Open reads a table of numbers, with names of rows and columns.
func Open(f *input.File, t *text.Reader, opt *Options, tabs bool) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	if t.Wide() {
		return f.Unsupported("text in UTF-16: save it as UTF-8")
	}
	b := &table{Options: opt, f: f, decimals: decimals{mark: byte(opt.Decimal)}}
	var err error
	if b.data, err = store.New(f); err != nil {
		return err
	}
	given, sep := excelSeparator(t), b.Separator
	if sep == 0 {
		sep = given
	}
	if sep == 0 {
		sep = separator(sample(t), tabs)
	}
	t.Separated(byte(sep))
	if sep == ' ' {
		b.csv = csv.NewReader(&blanks{r: t.Lines(), start: true})
		b.csv.Comma = '\t'
	} else {
		b.csv = csv.NewReader(t.Lines())
		b.csv.Comma = sep
	}

	b.decimals.list = sep == ';'
	b.csv.Comment = '#'
	b.csv.TrimLeadingSpace = b.csv.Comma != '\t' // else empty cells would vanish
	b.csv.FieldsPerRecord = -1
	b.csv.ReuseRecord = true

	var head []record
	for len(head) < 3 {
		rec, err := b.Next(t)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		rec.cells = slices.Clone(rec.cells)
		head = append(head, rec)
	}
	if err := b.recognise(head); err != nil {
		return err
	}
	if b.header != nil {
		head = head[1:]
	}
	for _, rec := range head {
		if err := b.Add(rec); err != nil {
			return err
		}
	}
	for len(head) > 0 {
		rec, err := b.Next(t)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = b.Add(rec)
		}
		if err != nil {
			return err
		}
	}
	return b.finish(sep)
}

// Next returns the next row, without blanks around its cells. It is valid until the
// next call.
func (b *table) Next(t *text.Reader) (record, error) {
	cells, err := b.csv.Read()
	if err != nil {
		if err == io.EOF {
			return record{}, err
		}
		var pe *csv.ParseError
		if errors.As(err, &pe) {
			return record{}, b.f.BadLine(pe.Line, "column %d of the text: %v", pe.Column, pe.Err)
		}
		return record{}, b.f.ReadError(b.csv.InputOffset(), err)
	}
	t.EndRecord()
	line, _ := b.csv.FieldPos(0)
	for j, cell := range cells {
		cells[j] = strings.TrimSpace(cell)
	}
	return record{cells, line}, nil
}

// recognise finds out what the first rows and columns are.
func (b *table) recognise(head []record) error {
	if len(head) == 0 {
		return nil
	}
	first, body := head[0].cells, head[1:]
	b.header = first
	if b.Header == "" && doubtfulHeader(first, body) && !b.isHeader(first, body) {
		return fmt.Errorf("%s: the numbers of row 1, %.60q, may be names of the columns, or data: %w", b.f.Path, strings.Join(first, " "), ErrHeader)
	}
	switch b.Header {
	case Absent:
		b.header, body = nil, head
	case Present:
	default:
		if !b.isHeader(first, body) {
			b.header, body = nil, head
		}
	}
	b.width = len(first)
	if len(body) > 0 {
		b.width = len(body[0].cells)
	}
	b.tail = b.width > 1 && len(body) > 0
	for _, rec := range body {
		b.tail = b.tail && len(rec.cells) == b.width && rec.cells[b.width-1] == ""
	}
	if b.tail && len(b.header) == b.width && b.header[b.width-1] != "" {
		b.tail = false // that column has a name
	}
	if b.header != nil && len(body) > 0 {
		switch n := len(b.header); {
		case n == b.width:
		case n == b.width-1 && b.tail: // the header alone does not end with a separator
		case n == b.width-1 && b.RowLabels != Absent: // as R writes it
			b.short = true
		default:
			return b.f.BadLine(body[0].line, "%d cells, where the first row has %d", b.width, n)
		}
	}
	if names := b.names0(); len(names) > 2 && names[0] == "" && names[1] == "" && !slices.Contains(b.Skip, "2") && b.RowLabels != Absent {
		return fmt.Errorf("%s: columns 1 and 2 have no names, as labels of the rows have none: column 2 has to be left out, by its number: %w", b.f.Path, ErrText)
	}
	b.labels = b.RowLabels == Present || b.short || b.RowLabels == "" && b.isLabels(body)
	b.firstRow = b.Header == "" && b.header == nil && len(head) > 1 && countUp(first)
	for j := range b.width {
		if j == 0 && b.labels || j == b.width-1 && b.tail {
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
func (b *table) isHeader(first []string, body []record) bool {
	text := false
	for _, cell := range first {
		text = text || cell != ""
	}
	if !text {
		return false
	}
	if n := len(first) - 1; n >= fewestCounted && !isNumber(first[0]) && countUp(first[1:]) && len(body) > 0 && len(body[0].cells) == n+1 && !isNumber(body[0].cells[0]) {
		return true // a name for the labels, and numbers for the columns
	}
	if !slices.ContainsFunc(first, isNumber) {
		if len(body) > 0 && first[0] == "" && len(body[0].cells) > 0 && body[0].cells[0] != "" {
			return true
		}
		return !slices.ContainsFunc(first, isMissing) || len(body) > 0 && !slices.Equal(blank(first), blank(body[0].cells))
	}
	if len(body) == 0 || len(body[0].cells) == 0 {
		return false
	}
	second := body[0].cells
	return first[0] == "" && len(first) > 1 && second[0] != "" ||
		len(first) == len(second)-1 && second[len(second)-1] != ""
}

// blank says of each cell whether it is text.
func blank(cells []string) []bool {
	s := make([]bool, len(cells))
	for i, cell := range cells {
		s[i] = !isNumber(cell) && !isMissing(cell)
	}
	return s
}

// isLabels says whether the first column holds names of rows.
func (b *table) isLabels(body []record) bool {
	if b.width < 2 {
		return false
	}
	if len(b.header) > 0 && namesLabels(b.header[0]) {
		return true
	}
	for _, rec := range body {
		if isOrnate(rec.cells[0]) {
			return false
		}
	}
	for _, rec := range body {
		if cell := rec.cells[0]; !isNumber(cell) && !isMissing(cell) {
			return true
		}
	}
	return false
}

// skip leaves out the columns that are not wanted.
func (b *table) skip() error {
	names := b.names0()
	for _, name := range b.Skip {
		skipped := func(j int) bool { return j < len(names) && names[j] == name }
		if n, err := strconv.Atoi(name); !slices.Contains(names, name) && err == nil && n >= 1 && n <= b.width {
			skipped = func(j int) bool { return j == n-1 }
		} else if !slices.Contains(names, name) {
			return fmt.Errorf("%s: no column %q to skip: it is neither a name in the header nor a number from 1 to %d: %w", b.f.Path, name, b.width, input.ErrVar)
		}
		b.keep = slices.DeleteFunc(b.keep, skipped)
	}
	return nil
}

// names0 returns the header with a cell for every column.
func (b *table) names0() []string {
	if b.short {
		return append([]string{""}, b.header...)
	}
	return b.header
}

// Add adds a row of numbers.
func (b *table) Add(rec record) error {
	if len(rec.cells) != b.width {
		return b.f.BadLine(rec.line, "%d cells, where the first row has %d", len(rec.cells), b.width)
	}
	if b.tail && rec.cells[b.width-1] != "" {
		return b.f.BadLine(rec.line, "row %d, column %d is %.40q, but it is empty in the rows before, as if these ended with a separator", b.read+1, b.width, rec.cells[b.width-1])
	}
	gap := false
	for k, j := range b.keep {
		x, err := b.decimals.parse(rec.cells[j])
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
		fraction := x != math.Trunc(x) || strings.ContainsAny(rec.cells[j], ".,")
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
		b.text = b.text || !isNumber(name)
	}
	b.rises.add(b.row)
	for _, x := range b.row {
		if err := b.data.Add(b.f, x); err != nil {
			return err
		}
	}
	b.rows++
	return nil
}
