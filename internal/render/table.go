package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is a grid of cells, each a line of text.
type Table struct {
	Head []string   // the names of the columns; nil: there is no such row
	Rows [][]string // each as long as Head, if there is one
	// Align has a letter for each column, l or r. The last letter holds for all following
	// columns. If Align is empty, all columns are aligned left.
	Align string
}

// Right says whether column c is aligned right.
func (t Table) Right(c int) bool {
	return t.Align != "" && t.Align[min(c, len(t.Align)-1)] == 'r'
}

// lines returns all rows, with Head first.
func (t Table) lines() [][]string {
	if t.Head == nil {
		return t.Rows
	}
	return append([][]string{t.Head}, t.Rows...)
}

// printable returns all rows with Printable cells.
func (t Table) printable() [][]string {
	rows := make([][]string, 0, len(t.Rows)+1)
	for _, row := range t.lines() {
		shown := make([]string, len(row))
		for c, cell := range row {
			shown[c] = Printable(cell)
		}
		rows = append(rows, shown)
	}
	return rows
}

// WriteText writes the table in columns two spaces apart. Each line begins with indent and ends
// without spaces. Errors are those of w.
func (t Table) WriteText(w io.Writer, indent string) error {
	var widths []int
	lines := t.printable()
	for _, row := range lines {
		for c, cell := range row {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range lines {
		line := indent
		for c, cell := range row {
			if c > 0 {
				line += "  "
			}
			room := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if t.Right(c) {
				line += room + cell
			} else {
				line += cell + room
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Facts are lines of names with values.
type Facts []Fact

// Fact is a line of Facts.
type Fact struct{ Name, Value string }

// Add adds a line, whose value is that of fmt.Sprintf.
func (f *Facts) Add(name, format string, args ...any) {
	*f = append(*f, Fact{name, fmt.Sprintf(format, args...)})
}

// table returns the facts as a table without a Head.
func (f Facts) table() (t Table) {
	for _, x := range f {
		t.Rows = append(t.Rows, []string{x.Name, x.Value})
	}
	return t
}

// WriteText writes the facts as Table.WriteText does.
func (f Facts) WriteText(w io.Writer) error { return f.table().WriteText(w, "") }

// Markdown returns the table in GitHub's notation. The table must have a Head. A cell must not
// hold a vertical bar.
func (t Table) Markdown() string {
	var b strings.Builder
	line := func(row []string) {
		b.WriteString("|")
		for _, cell := range row {
			if cell != "" {
				b.WriteString(" " + cell)
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
	line(t.Head)
	b.WriteString("|")
	for c := range t.Head {
		if t.Right(c) {
			b.WriteString("---:|")
		} else {
			b.WriteString("---|")
		}
	}
	b.WriteString("\n")
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}

// Bullets returns the items as a Markdown list with a blank line before it, or
// nothing if there are none.
func Bullets(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "\n- " + strings.Join(items, "\n- ") + "\n"
}
