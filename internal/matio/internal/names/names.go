// Package names reads the names of rows or columns from text files of their own.
package names

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"nmu/internal/matio/internal/input"
	"nmu/internal/regular"
)

// maxLine is the largest length of a line in bytes.
const maxLine = 1 << 16

// Read reads a name for each of n rows or columns, one in a line. Empty lines at the end do not
// count, nor does a header, which is a line too many at the beginning with a word for names. The file may be compressed by
// gzip. A column from 1 takes the name from a column of the
// lines, which tabs separate, or commas in a .csv file, or given, if it is not 0 and the first line has none of these; 0 takes the whole line. what says what the
// names are of, such as row. Their memory is that of the matrix of.
func Read(of *input.File, path string, given rune, column, n int, what string) ([]string, error) {
	sep := separator(path)
	var names []string
	lines, last := 0, 0 // lines read, and the last non-empty line
	first := ""
	err := Each(path, func(line int, text []byte) error {
		lines = line
		name := bytes.TrimSpace(text)
		if len(name) > 0 {
			last = lines
		}
		if line == 1 && given != 0 && !bytes.Contains(text, []byte(sep)) {
			sep = string(given)
		}
		if column > 0 && len(name) > 0 {
			cells := bytes.Split(text, []byte(sep))
			if column > len(cells) {
				return fmt.Errorf("%s: line %d: it has %d columns, and column %d is asked for: %w", path, lines, len(cells), column, input.ErrFormat)
			}
			name = bytes.Trim(bytes.TrimSpace(cells[column-1]), `"`)
		}
		if line == 1 {
			first = string(name)
		}
		if len(names) == n+1 { // with a header
			return nil
		}
		err := of.Reserve(int64(len(name))+input.NameBytes, "the names in "+path)
		if err == nil {
			names, err = input.Grown(of, names, 1, 256, int64(n)+1)
		}
		if err != nil {
			return err
		}
		names = append(names, string(name))
		return of.Ended()
	})
	switch {
	case err != nil:
		return nil, err
	case last == n+1 && isHeader(first):
		of.Note("line 1 of %s, %.40q, is taken for a header", path, first)
	case last == n+1:
		return nil, fmt.Errorf("%s has %s for %s, one in each line; if line 1, %.40q, is a header, delete it", path, input.Counted(last, "name", "names"), input.Counted(n, what, what+"s"), first)
	case lines < n || last > n:
		return nil, fmt.Errorf("%s has %s for %s, one in each line", path, input.Counted(max(last, min(lines, n)), "name", "names"), input.Counted(n, what, what+"s"))
	}
	if last > n {
		names = names[1:]
	}
	names = names[:n]
	if UTF8(names) {
		of.Note("%s is not in UTF-8 and is taken for Latin-1", path)
	}
	return names, nil
}

// headers are the last words of the names of columns of names.
var headers = []string{"name", "names", "id", "ids", "index", "label", "labels", "symbol", "symbols", "barcode", "barcodes", "gene", "genes", "feature", "features", "sample", "samples", "cell", "cells"}

// isHeader says whether a name is that of a column of names, such as Name or gene_id.
func isHeader(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
	return len(words) > 0 && len(words) <= 3 && slices.Contains(headers, words[len(words)-1]) && !strings.ContainsAny(name, "0123456789")
}

// Columns returns the number of columns in the first line.
func Columns(path string) (n int, err error) {
	enough := errors.New("")
	err = Each(path, func(_ int, text []byte) error {
		n = bytes.Count(text, []byte(separator(path))) + 1
		return enough
	})
	if err == enough {
		err = nil
	}
	return n, err
}

// Each calls do for each line of a text, which may be compressed by gzip, without a byte order mark and without
// zero bytes at its end. A line is valid during the call only.
func Each(path string, do func(line int, text []byte) error) error {
	f, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewReader(f)
	var r io.Reader = b
	if head, _ := b.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(b); err != nil {
			return fmt.Errorf("%s: %w", path, damaged(err))
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	line := 0
	for s.Scan() {
		line++
		text := bytes.TrimRight(s.Bytes(), "\x00")
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if bytes.IndexByte(text, 0) >= 0 {
			return fmt.Errorf("%s: line %d: it has a zero byte; if the text is in UTF-16, save it as UTF-8: %w", path, line, input.ErrFormat)
		}
		if err := do(line, text); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s: line %d: %w", path, line+1, damaged(err))
	}
	return nil
}

// UTF8 replaces names that are not in UTF-8 by what they are in Latin-1, and says whether there are any.
func UTF8(names []string) (changed bool) {
	for i, name := range names {
		if utf8.ValidString(name) {
			continue
		}
		runes := make([]rune, len(name))
		for k := range len(name) {
			runes[k] = rune(name[k])
		}
		names[i], changed = string(runes), true
	}
	return changed
}

// damaged makes an error of the content one that wraps input.ErrFormat.
func damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the data end too early: %w", input.ErrFormat)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), err != nil && strings.HasPrefix(err.Error(), "flate:"):
		return fmt.Errorf("%w: %w", err, input.ErrFormat)
	}
	return err
}

// separator returns what separates the columns of a file.
func separator(path string) string {
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(path), ".gz"), ".csv") {
		return ","
	}
	return "\t"
}
