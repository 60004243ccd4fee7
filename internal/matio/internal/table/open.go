package table

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
	"nmu/internal/matio/internal/text"
)

// Open reads a table of numbers, with names of rows and columns.
func Open(f *input.File, t *text.Reader, opt *Options, tabs bool) error {
	return open(&table{Options: opt, f: f}, t, tabs)
}

// ReadRows reads a table whose rows are no text of the file: next returns the cells of the next one below the header,
// whose numbers have a decimal point, and io.EOF at the end. The cells are valid until the next call.
func ReadRows(f *input.File, opt Options, header []string, next func() ([]string, error)) error {
	opt.Header, opt.Decimal = Present, '.'
	b := &table{Options: &opt, f: f, sep: ','}
	b.decimals.given, b.decimals.mark = '.', '.'
	b.next = func() (record, error) {
		cells := header
		var err error
		if header = nil; cells == nil {
			cells, err = next()
		}
		for j, cell := range cells {
			cells[j] = strings.TrimSpace(cell)
		}
		return record{cells: cells}, err
	}
	return b.readAll(nil, b.Add)
}

// open reads the table b.
func open(b *table, t *text.Reader, tabs bool) error {
	if t.Wide() {
		return b.f.Unsupported("text in UTF-16: save it as UTF-8")
	}
	if b.decimals.given = byte(b.Decimal); !b.beside {
		b.decimals.mark = byte(b.Decimal)
	}
	given, sep := excelSeparator(t), b.Separator
	lines := sample(t)
	if _, fits := evenly(lines, sep); b.beside && !fits {
		sep = 0
	}
	if sep = cmp.Or(sep, given); sep == 0 {
		sep = separator(lines, tabs)
	}
	b.sep = sep
	t.Separated(byte(sep))
	names, before := above(t, sep)
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
	b.next = func() (record, error) {
		rec, err := b.line(t)
		if b.under > 0 { // this was the header
			t.Skip(b.under)
			b.under = 0
		}
		b.comments = t.Comments() - before
		return rec, err
	}
	return b.readAll(names, b.take)
}

// readAll reads all rows, below the cells of a comment. add adds one to a matrix.
func (b *table) readAll(comment []string, add func(record) error) (err error) {
	if err := b.f.NoVar(); err != nil {
		return err
	}
	b.worded = make([]int, len(b.Words))
	if b.data, err = store.New(b.f); err != nil {
		return err
	}
	var head []record
	for len(head) < 3 {
		rec, err := b.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		rec.cells = slices.Clone(rec.cells)
		head = append(head, rec)
	}
	if names := namesAbove(comment, head, b.sep); names != nil && b.Header == "" {
		b.above, head = true, slices.Insert(head, 0, record{cells: names})
	}
	if b.Triples || b.Header != Absent && len(head) > 0 && isTriples(head[0].cells) {
		return b.openTriples(head)
	}
	if err := b.recognise(head); err != nil {
		return err
	}
	if b.header != nil {
		head = head[1:]
	}
	if len(head) > 0 {
		if err := b.rest(head, add); err != nil {
			return err
		}
	}
	return b.finish()
}
