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

	"nmu/internal/matio/internal/input"
	"nmu/internal/regular"
)

// maxLine is the largest length of a line in bytes.
const maxLine = 1 << 16

// Memory counts the memory of names towards a limit.
type Memory interface {
	Reserve(bytes int64, work string) error
}

// Read reads a name for each of n rows or columns, one in a line. Empty lines at the end do not
// count. The file may be compressed by gzip. A column from 1 takes the name from a column of the
// lines, which tabs separate, or commas in a .csv file; 0 takes the whole line. what says what the
// names are of, such as row. Their memory is that of the matrix of.
func Read(of Memory, path string, column, n int, what string) ([]string, error) {
	f, s, err := scan(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sep := separator(path)
	const most = 1 << 16 // of a chunk; a slice that grows would leave much garbage
	var chunks [][]string
	names := make([]string, 0, min(n, most)) // the last chunk
	lines, last := 0, 0                      // lines read, and the last non-empty line
	for s.Scan() {
		line := bytes.TrimPrefix(s.Bytes(), []byte("\ufeff"))
		lines++
		name := bytes.TrimSpace(line)
		if len(name) > 0 {
			last = lines
		}
		if column > 0 && len(name) > 0 {
			cells := bytes.Split(line, []byte(sep))
			if column > len(cells) {
				return nil, fmt.Errorf("%s: line %d: it has %d columns, and column %d is asked for: %w", path, lines, len(cells), column, input.ErrFormat)
			}
			name = bytes.Trim(bytes.TrimSpace(cells[column-1]), `"`)
		}
		if len(chunks)*most+len(names) < n {
			if len(names) == most {
				chunks, names = append(chunks, names), make([]string, 0, most)
			}
			if err := of.Reserve(int64(len(name))+input.NameBytes, "the names in "+path); err != nil {
				return nil, err
			}
			names = append(names, string(name))
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: line %d: %w", path, lines+1, damaged(err))
	}
	if lines < n || last > n {
		return nil, fmt.Errorf("%s has %s for %s, one in each line", path, plural(max(last, min(lines, n)), "name"), plural(n, what))
	}
	return slices.Concat(append(chunks, names)...), nil
}

// Columns returns the number of columns in the first line.
func Columns(path string) (int, error) {
	f, s, err := scan(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if !s.Scan() {
		return 0, damaged(s.Err())
	}
	return strings.Count(s.Text(), separator(path)) + 1, nil
}

// scan opens a text, which may be compressed.
func scan(path string) (io.Closer, *bufio.Scanner, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, nil, err
	}
	b := bufio.NewReader(f)
	var r io.Reader = b
	if head, _ := b.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		if r, err = gzip.NewReader(b); err != nil {
			f.Close()
			return nil, nil, fmt.Errorf("%s: %w", path, damaged(err))
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	return f, s, nil
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

// plural returns a number with what it counts.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
