package table

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
	"nmu/internal/matio/internal/text"
)

// Open reads a table of numbers, with names of rows and columns.
func Open(f *input.File, t *text.Reader, opt *Options, tabs bool) error {
	return open(&table{Options: opt, f: f}, t, tabs)
}

// open reads the table b.
func open(b *table, t *text.Reader, tabs bool) error {
	f := b.f
	if err := f.NoVar(); err != nil {
		return err
	}
	if t.Wide() {
		return f.Unsupported("text in UTF-16: save it as UTF-8")
	}
	b.worded = make([]int, len(b.Words))
	if b.decimals.given = byte(b.Decimal); !b.beside {
		b.decimals.mark = byte(b.Decimal)
	}
	var err error
	if b.data, err = store.New(f); err != nil {
		return err
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
	if names := namesAbove(names, head, sep); names != nil && b.Header == "" {
		b.above, head = true, slices.Insert(head, 0, record{cells: names})
	}
	if b.Triples || b.Header != Absent && len(head) > 0 && isTriples(head[0].cells) {
		return b.openTriples(t, head)
	}
	if err := b.recognise(head); err != nil {
		return err
	}
	if b.header != nil {
		head = head[1:]
	}
	if len(head) > 0 {
		if err := b.rest(t, head, b.take); err != nil {
			return err
		}
	}
	b.comments = t.Comments() - before
	return b.finish()
}
