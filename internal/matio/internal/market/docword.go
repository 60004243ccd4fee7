package market

import (
	"bytes"
	"strconv"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

// IsDocword says whether text begins like a bag of words of the UCI repository: three lines with
// one size each, and then entries of three numbers.
func IsDocword(t *text.Reader) bool {
	head, _ := t.Peek(128) // what is wrong shows when the text is read
	lines := bytes.SplitN(head, []byte("\n"), 5)
	if len(lines) < 5 {
		return false
	}
	for x, line := range lines[:4] {
		fields := bytes.Fields(line)
		if x < 3 && len(fields) != 1 || x == 3 && len(fields) != 3 || bytes.ContainsAny(line, ",;\t") {
			return false
		}
		for _, field := range fields {
			if _, err := strconv.ParseUint(string(field), 10, 63); err != nil {
				return false
			}
		}
	}
	return true
}

// OpenDocword opens a bag of words: the numbers of documents, words and entries, a line each, and
// then a document, a word and a count in each line. The matrix has a row for each word, and a column
// for each document.
func OpenDocword(f *input.File, t *text.Reader) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	m := &reader{f: f, t: t, integer: true, turned: true}
	var size [3]int64
	for x := range size {
		one, err := m.sizes(1)
		if err != nil {
			return err
		}
		size[x] = one[0]
	}
	f.Note("a bag of words: the rows are words, the columns are documents")
	return m.entries(size[1], size[0], size[2])
}
