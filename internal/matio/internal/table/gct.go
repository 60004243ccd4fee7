package table

import (
	"bytes"
	"fmt"
	"strconv"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

// gctSizes returns the numbers in the second line of a GCT file, of which the first line is the version #1.2 or #1.3: of rows
// and columns, then of the columns that describe rows and of the lines that describe columns. They are nil for another text.
func gctSizes(head []byte) []int {
	version, rest, _ := bytes.Cut(head, []byte("\n"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	fields := bytes.Fields(line)
	switch version = bytes.TrimSpace(version); {
	case string(version) == "#1.2" && len(fields) == 2:
		fields = append(fields, []byte("1"), []byte("0")) // a column Description
	case string(version) != "#1.3" || len(fields) != 4:
		return nil
	}
	var sizes []int
	for _, field := range fields {
		n, err := strconv.Atoi(string(field))
		if err != nil || n < 0 {
			return nil
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// IsGCT says whether a text begins as a GCT file.
func IsGCT(head []byte) bool { return gctSizes(head) != nil }

// OpenGCT reads a GCT file, a table of gene expression under its sizes. Descriptions of rows and columns are left out.
func OpenGCT(f *input.File, t *text.Reader, opt *Options) error {
	head, _ := t.Peek(text.MaxLine) // what is wrong shows below
	sizes := gctSizes(head)
	if sizes == nil {
		return f.BadLine(1, "want #1.2 above the numbers of rows and columns, or #1.3 above four numbers")
	}
	t.Skip(2)
	numbers := *opt
	numbers.Header, numbers.RowLabels, numbers.Triples = Present, Present, false
	b := &table{Options: &numbers, f: f, about: sizes[2], under: sizes[3]}
	if err := open(b, t, true); err != nil {
		return err
	}
	if cols := b.width - b.tail - 1 - b.about; b.read != sizes[0] || cols != sizes[1] {
		return f.BadLine(2, "it gives %d x %d numbers, but there are %d x %d", sizes[0], sizes[1], b.read, cols)
	}
	if n := sizes[3]; n > 0 {
		f.LeftOut = append(f.LeftOut, fmt.Sprintf("%s of the columns", input.Counted(n, "line of descriptions", "lines of descriptions")))
	}
	return nil
}
