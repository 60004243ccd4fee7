package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"nmu/internal/matio/internal/element"
	"nmu/internal/memory"
)

// File is a file or folder that is read, and the matrix that its format finds in it. It
// must be closed.
type File struct {
	Path      string
	Handle    *os.File  // nil for a folder
	Size      int64     // bytes of the file, or of all files of a folder
	Modified  time.Time // the file, when it was opened
	Deflated  bool      // it is text in a gzip file
	Var       string    // the name of the variable that is asked for
	Transpose bool      // the transpose of the stored matrix is asked for
	Spill     *Spill    // where the numbers of a text go, nil for memory
	Closed    bool

	Rows, Cols int      // as stored
	ByColumns  bool     // order of the elements of data
	Dense      Dense    // the elements of a dense matrix
	Sparse     Sparse   // those of a sparse one, else nil
	Plain      *Plain   // where the file holds the elements of a dense matrix as they are
	RowNames   []string // as stored; nil if there are none
	ColNames   []string
	Height     int // of each image, in pixels, where the columns are images
	Width      int
	MapHeight  int // of the image whose pixels are the columns
	MapWidth   int
	Notes      []string // what was recognised that the file does not say
	FirstRow   int      // of a larger matrix, of which this one is a block
	FirstCol   int

	Limit   int64  // bytes of memory
	Used    int64  // of these
	part    string // what is read, for messages: empty or with ": " at its end
	closers []func() error
}

// Spill is where numbers go that need not fit in memory: temporary files, which are gone
// when the File is closed. With it a table keeps no names of its rows, and a sparse
// matrix in text is not read by Open, but once, by Each.
type Spill struct {
	Context context.Context // ends the reading of numbers, with its error
	Dir     string          // the folder of the temporary files
}

// New returns an input of which nothing is opened yet. Reading it takes so many bytes of
// memory at most; 0 stands for what the machine has free.
func New(path string, limit int64) *File {
	if limit <= 0 {
		limit = memory.Free()
	}
	return &File{Path: path, Limit: limit}
}

// Block returns an input that stands for a block of rows x cols of the matrix of f, in
// what counts memory and names places.
func (f *File) Block(rows, cols int) *File {
	return &File{Path: f.Path, Limit: f.Limit, Used: f.Used, Size: f.Size, Rows: rows, Cols: cols}
}

// Dims returns the size of the matrix, after transposition if that is asked for.
func (f *File) Dims() (rows, cols int) {
	if f.Transpose {
		return f.Cols, f.Rows
	}
	return f.Rows, f.Cols
}

// AtClose has Close call do.
func (f *File) AtClose(do func() error) { f.closers = append(f.closers, do) }

// Close closes the file and what belongs to it. Another call does nothing.
func (f *File) Close() (err error) {
	if f.Closed {
		return nil
	}
	f.Closed = true
	if f.Handle != nil {
		err = f.Handle.Close()
	}
	for _, do := range f.closers {
		err = errors.Join(err, do())
	}
	return err
}

// Note adds to what was recognised.
func (f *File) Note(format string, args ...any) {
	f.Notes = append(f.Notes, fmt.Sprintf(format, args...))
}

// NoVar rejects a variable for types of files that name nothing.
func (f *File) NoVar() error {
	if f.Var == "" {
		return nil
	}
	return fmt.Errorf("%s: variable %q: a file of this type holds one matrix without a name; leave the variable out: %w", f.Path, f.Var, ErrVar)
}

// In names the part of the file that is read from now on, for messages, until
// the function that it returns is called.
func (f *File) In(part string) (leave func()) {
	old := f.part
	f.part = part + ": "
	return func() { f.part = old }
}

// Bad returns an error that wraps ErrFormat and names the file and the byte,
// counted in the inflated data where a part is deflated.
func (f *File) Bad(off int64, format string, args ...any) error {
	return fmt.Errorf("%s: %sbyte %d: %s: %w", f.Path, f.part, off, fmt.Sprintf(format, args...), ErrFormat)
}

// BadLine is bad for text, with the number of the line.
func (f *File) BadLine(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s: %w", f.Path, line, fmt.Sprintf(format, args...), ErrFormat)
}

// Unsupported returns an error that wraps ErrUnsupported.
func (f *File) Unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.Path, f.part, fmt.Sprintf(format, args...), ErrUnsupported)
}

// TooLarge returns an error that wraps ErrTooLarge.
func (f *File) TooLarge(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.Path, f.part, fmt.Sprintf(format, args...), ErrTooLarge)
}

// ReadError is the error for a failed read near byte off: that of the file
// system, or ErrFormat for data that end too early or do not decompress.
func (f *File) ReadError(off int64, err error) error {
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe), errors.Is(err, ErrFormat), errors.Is(err, ErrTooLarge), errors.Is(err, os.ErrClosed):
		return err
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return f.Bad(off, "the data end too early")
	}
	return f.Bad(off, "%v", err)
}

// SetDims sets the size of the stored matrix from the claims of a header. It
// returns the number of elements.
func (f *File) SetDims(rows, cols int64) (int64, error) {
	const maxInt = int64(^uint(0) >> 1)
	n, ok := element.Mul(rows, cols)
	if !ok || rows > maxInt || cols > maxInt || f.Sparse == nil && n > maxInt {
		return 0, f.TooLarge("a matrix of %d x %d has more elements than can be counted", rows, cols)
	}
	f.Rows, f.Cols = int(rows), int(cols)
	return n, nil
}

// VarError returns a *VarError for a file of matrices of these names that holds what is
// listed.
func (f *File) VarError(names, listed []string) error {
	return &VarError{f.Path, f.Var, names, List(listed)}
}
