package matio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"nmu/internal/memory"
)

// input is a file or folder that is read, and the matrix that its format finds in it. It
// must be closed.
type input struct {
	path      string
	file      *os.File  // nil for a folder
	size      int64     // bytes of the file, or of all files of a folder
	modified  time.Time // the file, when it was opened
	deflated  bool      // it is text in a gzip file
	variable  string    // the name of the variable that is asked for
	transpose bool      // the transpose of the stored matrix is asked for
	spill     *Spill    // where the numbers of a text go, nil for memory
	closed    bool

	rows, cols int         // as stored
	colMajor   bool        // order of the elements of data
	data       dense       // the elements of a dense matrix
	entries    sparse      // those of a sparse one, else nil
	raw        *plainArray // where the file holds the elements of a dense matrix as they are
	rowNames   []string    // as stored; nil if there are none
	colNames   []string
	height     int // of each image, in pixels, where the columns are images
	width      int
	mapHeight  int // of the image whose pixels are the columns
	mapWidth   int
	notes      []string // what was recognised that the file does not say
	firstRow   int      // of a larger matrix, of which this one is a block
	firstCol   int

	limit   int64  // bytes of memory
	used    int64  // of these
	part    string // what is read, for messages: empty or with ": " at its end
	closers []func() error
}

// Spill is where numbers go that need not fit in memory: temporary files, which are gone
// when the File is closed. With it a table keeps no names of its rows, and a sparse
// matrix in text is not read by Open, but once, by Entries.
type Spill struct {
	Context context.Context // ends the reading of numbers, with its error
	Dir     string          // the folder of the temporary files
}

// newInput returns an input of which nothing is opened yet. Reading it takes so many bytes of
// memory at most; 0 stands for what the machine has free.
func newInput(path string, limit int64) *input {
	if limit <= 0 {
		limit = memory.Free()
	}
	return &input{path: path, limit: limit}
}

// block returns an input that stands for a block of rows x cols of the matrix of f, in
// what counts memory and names places.
func (f *input) block(rows, cols int) *input {
	return &input{path: f.path, limit: f.limit, used: f.used, size: f.size, rows: rows, cols: cols}
}

// dims returns the size of the matrix, after transposition if that is asked for.
func (f *input) dims() (rows, cols int) {
	if f.transpose {
		return f.cols, f.rows
	}
	return f.rows, f.cols
}

// atClose has Close call do.
func (f *input) atClose(do func() error) { f.closers = append(f.closers, do) }

// close closes the file and what belongs to it. Another call does nothing.
func (f *input) close() (err error) {
	if f.closed {
		return nil
	}
	f.closed = true
	if f.file != nil {
		err = f.file.Close()
	}
	for _, do := range f.closers {
		err = errors.Join(err, do())
	}
	return err
}

// note adds to what was recognised.
func (f *input) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// noVar rejects a variable for types of files that name nothing.
func (f *input) noVar() error {
	if f.variable == "" {
		return nil
	}
	return fmt.Errorf("%s: variable %q asked for, but a file of this type holds one matrix without a name: %w", f.path, f.variable, ErrVar)
}

// in names the part of the file that is read from now on, for messages, until
// the function that it returns is called.
func (f *input) in(part string) (leave func()) {
	old := f.part
	f.part = part + ": "
	return func() { f.part = old }
}

// bad returns an error that wraps ErrFormat and names the file and the byte,
// counted in the inflated data where a part is deflated.
func (f *input) bad(off int64, format string, args ...any) error {
	return fmt.Errorf("%s: %sbyte %d: %s: %w", f.path, f.part, off, fmt.Sprintf(format, args...), ErrFormat)
}

// badLine is bad for text, with the number of the line.
func (f *input) badLine(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s: %w", f.path, line, fmt.Sprintf(format, args...), ErrFormat)
}

// unsupported returns an error that wraps ErrUnsupported.
func (f *input) unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.path, f.part, fmt.Sprintf(format, args...), ErrUnsupported)
}

// tooLarge returns an error that wraps ErrTooLarge.
func (f *input) tooLarge(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.path, f.part, fmt.Sprintf(format, args...), ErrTooLarge)
}

// readError is the error for a failed read near byte off: that of the file
// system, or ErrFormat for data that end too early or do not decompress.
func (f *input) readError(off int64, err error) error {
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe), errors.Is(err, ErrFormat), errors.Is(err, ErrTooLarge), errors.Is(err, os.ErrClosed):
		return err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return f.bad(off, "the data end too early")
	}
	return f.bad(off, "%v", err)
}

// setDims sets the size of the stored matrix from the claims of a header. It
// returns the number of elements.
func (f *input) setDims(rows, cols int64) (int64, error) {
	const maxInt = int64(^uint(0) >> 1)
	n, ok := mul(rows, cols)
	if !ok || rows > maxInt || cols > maxInt || f.entries == nil && n > maxInt {
		return 0, f.tooLarge("a matrix of %d x %d has more elements than can be counted", rows, cols)
	}
	f.rows, f.cols = int(rows), int(cols)
	return n, nil
}
