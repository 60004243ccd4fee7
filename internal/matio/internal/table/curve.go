package table

import (
	"bufio"
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

// OpenCurve reads a file of numbers in columns, of which the first is an axis, below lines of any text. If the last
// of these lines has a name for each column, the first of them is the name of the axis.
func OpenCurve(f *input.File, opt *Options) error {
	r := bufio.NewReaderSize(f.Section(), text.MaxLine)
	head, _ := r.Peek(text.MaxLine) // what is wrong shows below
	end := []byte("\n")
	if !bytes.Contains(head, end) {
		end = []byte("\r")
	}
	above, size, names := aboveNumbers(head, end, opt.Separator)
	if above > 0 {
		r.Discard(size)
	}
	if names != nil {
		f.RowAxis = names[0]
	}
	numbers := *opt
	numbers.Header, numbers.RowLabels, numbers.Triples = Absent, Absent, false
	// Comments take the place of the lines above, so that messages count lines as the file does.
	t := text.New(f, io.MultiReader(strings.NewReader(strings.Repeat("#"+string(end), above)), r))
	return Open(f, t, &numbers, strings.EqualFold(filepath.Ext(f.Path), ".tsv"))
}

// aboveNumbers returns the number of lines above the first one of numbers alone, their size in bytes, and the names that
// the last of them has for the columns, or nil. There are none if no line holds numbers alone.
func aboveNumbers(head, end []byte, given rune) (lines, size int, names []string) {
	candidates := separators
	if given != 0 {
		candidates = []rune{given}
	}
	last := ""
	for rest := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")); len(rest) > 0; lines++ {
		line, behind, _ := bytes.Cut(rest, end)
		for _, sep := range candidates {
			cells := cut(bytes.TrimRight(line, "\r"), sep)
			if len(cells) < 2 || !isNumber(cells[0]) || slices.ContainsFunc(cells, isText) {
				continue
			}
			if names = cut([]byte(strings.TrimLeft(last, "# ")), sep); len(names) != len(cells) || slices.ContainsFunc(names, isNumber) {
				names = nil
			}
			return lines, len(head) - len(rest), names
		}
		if len(bytes.TrimSpace(line)) > 0 {
			last = string(bytes.TrimRight(line, "\r"))
		}
		rest = behind
	}
	return 0, 0, nil
}
