package table

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

// OpenCurve reads a file of numbers in columns, of which the first is an axis, below lines of any text. If the last
// of these lines has a name for each column, the first of them is the name of the axis.
func OpenCurve(f *input.File, opt *Options) error {
	t := text.New(f, f.Section())
	head, _ := t.Peek(text.MaxLine) // what is wrong shows below
	above, names := aboveNumbers(head, opt)
	if t.Skip(above); names != nil {
		f.RowAxis = names[0]
	}
	numbers := *opt
	numbers.Header, numbers.RowLabels, numbers.Triples = Absent, Absent, false
	return Open(f, t, &numbers, strings.EqualFold(filepath.Ext(f.Path), ".tsv"))
}

// aboveNumbers returns the number of lines above the first one of numbers alone, and the names that the last of them
// has for the columns, or nil. There are none if no line holds numbers alone.
func aboveNumbers(head []byte, opt *Options) (lines int, names []string) {
	end := []byte("\n")
	if !bytes.Contains(head, end) {
		end = []byte("\r")
	}
	candidates := separators
	if opt.Separator != 0 {
		candidates = []rune{opt.Separator}
	}
	isWord := func(cell string) bool {
		_, below := limitIn(cell)
		return isText(cell) && !below && !slices.Contains(opt.Words, cell)
	}
	last := ""
	for ; len(head) > 0; lines++ {
		line, rest, _ := bytes.Cut(head, end)
		head, line = rest, bytes.TrimSpace(line)
		for _, sep := range candidates {
			cells := cut(line, sep)
			if len(cells) < 2 || !isNumber(cells[0]) || slices.ContainsFunc(cells, isWord) {
				continue
			}
			if names = cut([]byte(strings.TrimLeft(last, "# ")), sep); len(names) != len(cells) || slices.ContainsFunc(names, isNumber) {
				names = nil
			}
			return lines, names
		}
		if len(line) > 0 {
			last = string(line)
		}
	}
	return 0, nil
}
