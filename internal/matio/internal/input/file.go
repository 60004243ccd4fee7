// Package input has the state that every format reader fills in: the file, its memory limit,
// its error messages, and the matrix found in it.
//
//	File ──▶ Dense ──Open──▶ Source ──Next──▶ float64
//	  └────▶ Sparse ──Entries or Each──▶ Entries
//
// A format fills in a File: the size of the matrix, its names, and either Dense or Sparse, from
// which package matio reads the numbers. A format compares every claim of the file with the
// bytes present, and asks Reserve, Fits or Alloc before it takes memory. Bad, Unsupported,
// TooLarge and ReadError make errors that name the file, its part and the place. Numbers reads
// an Array.
package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"nmu/internal/matio/internal/element"
	"nmu/internal/memory"
	"nmu/internal/regular"
)

// File is an open file or folder, and the matrix that its format finds in it. It must be
// closed.
type File struct {
	Path      string
	Handle    *os.File  // nil for a folder
	Size      int64     // bytes of the file, or of all files of a folder
	Modified  time.Time // the time of the file's last change when it was opened
	Deflated  bool      // the file is text compressed by gzip
	Var       string    // the name of the requested variable
	Transpose bool      // the transpose of the stored matrix is requested
	Spill     *Spill    // where the numbers of a text file are stored; nil for memory
	Library   bool      // messages name settings, header=no, and not flags of the command, --header no
	Closed    bool
	Context   context.Context // ends the reading of the content with its cause; nil for none
	Whole     *File           // the folder that this file is a part of, whose Context counts too; or nil

	Rows, Cols int      // as stored
	ByColumns  bool     // the elements are stored column by column
	Dense      Dense    // the elements of a dense matrix
	Sparse     *Sparse  // the entries of a sparse matrix, else nil
	Plain      *Array   // the elements of a dense matrix, if the file holds them uncompressed
	Meaning    Meaning  // what numbers of the matrix stand for
	Tally      *Tally   // counts these numbers; nil once they are counted
	RowNames   []string // as stored; nil if there are none
	RowAxis    string   // what the row names are, such as "wavelength (Nanometers)"; empty if unknown
	BadRows    []int    // the rows that the file itself marks as bad, from 0
	ColNames   []string
	Height     int // of each image in pixels, if the columns are images
	Width      int
	MapHeight  int // of the image with one pixel for each column
	MapWidth   int
	Kind       string // what the file is, such as a table
	RowsFrom   string // where the names of the rows are, such as column 1; empty if unknown
	ColsFrom   string
	LeftOut    []string // what the file holds beside the matrix
	Guessed    bool     // Open decided what the file leaves open
	Notes      []string // what else Open found
	FirstRow   int      // first row and column in the larger matrix, if this is a block
	FirstCol   int

	Limit   int64  // bytes of memory allowed
	Used    int64  // bytes of memory in use or reserved
	part    string // what is read, for messages: empty or with ": " at its end
	closers []func() error
}

// Spill stores numbers in temporary files instead of memory. They are removed when the File is
// closed. With a Spill, a table keeps no row names. A sparse matrix in text is then read once,
// by Each, and not by Open.
type Spill struct {
	Context context.Context // ends the reading of numbers, with its error
	Folder  *os.Root        // of the temporary files; nil for that of the system
}

// New returns an input that is not open yet. limit is how many bytes of memory reading may
// take; 0 stands for the free memory of the machine.
func New(path string, limit int64) *File {
	if limit <= 0 {
		limit = memory.Free()
	}
	return &File{Path: path, Limit: limit}
}

// Part returns an input for a file in the folder f, or for f itself if name is empty, and opens it. A file that is not
// regular is an error that wraps ErrUnsupported.
func (f *File) Part(name string) (*File, error) {
	p := &File{Path: filepath.Join(f.Path, name), Limit: f.Limit, Whole: f}
	info, err := os.Stat(p.Path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, p.Unsupported("not a regular file")
	}
	p.Size = info.Size()
	p.Handle, err = regular.Open(p.Path)
	return p, err
}

// Block returns an input for block b of the matrix of f. It counts memory and names places in
// messages.
func (f *File) Block(b Block) *File {
	return &File{Path: f.Path, Limit: f.Limit, Used: f.Used, Size: f.Size, Rows: b.Rows(), Cols: b.Cols(), FirstRow: b.I0, FirstCol: b.J0, Whole: f}
}

// Dims returns the size of the matrix, after transposition if requested.
func (f *File) Dims() (rows, cols int) {
	if f.Transpose {
		return f.Cols, f.Rows
	}
	return f.Rows, f.Cols
}

// Ended returns the cause if the Context has ended.
func (f *File) Ended() error {
	for ; f != nil; f = f.Whole {
		if f.Context != nil && f.Context.Err() != nil {
			return &EndedError{f.Context.Err(), context.Cause(f.Context)}
		}
	}
	return nil
}

// EndedError reports that the Context of a File has ended: its error and its cause.
type EndedError struct{ Err, Cause error }

func (e *EndedError) Error() string { return e.Cause.Error() }

func (e *EndedError) Unwrap() []error { return []error{e.Err, e.Cause} }

// ReadAt reads the open file until the Context ends. All readers of formats read through it.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if err := f.Ended(); err != nil {
		return 0, err
	}
	return f.Handle.ReadAt(p, off)
}

// Section returns the first Size bytes of the file.
func (f *File) Section() *io.SectionReader { return io.NewSectionReader(f, 0, f.Size) }

// Endable returns r with an end of its reads when the Context ends.
func (f *File) Endable(r io.ReaderAt) io.ReaderAt { return endable{f, r} }

type endable struct {
	f *File
	r io.ReaderAt
}

func (e endable) ReadAt(p []byte, off int64) (int, error) {
	if err := e.f.Ended(); err != nil {
		return 0, err
	}
	return e.r.ReadAt(p, off)
}

// AtClose adds do to the functions that Close calls.
func (f *File) AtClose(do func() error) { f.closers = append(f.closers, do) }

// Close closes the file and calls the functions of AtClose. A second call does nothing.
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

// Setting names a setting with its value, if it is not empty, in a message.
func (f *File) Setting(name, value string) string {
	for f.Whole != nil {
		f = f.Whole
	}
	sign := " "
	if f.Library {
		sign = "="
	} else {
		name = "--" + name
	}
	if value == "" {
		return name
	}
	return name + sign + value
}

// Note adds a sentence to Notes, once.
func (f *File) Note(format string, args ...any) {
	if note := fmt.Sprintf(format, args...); !slices.Contains(f.Notes, note) {
		f.Notes = append(f.Notes, note)
	}
}

// NoteTypes notes that the rows are of several types, such as genes and antibodies. It sorts types.
func (f *File) NoteTypes(types []string) {
	slices.Sort(types)
	if types = slices.Compact(types); len(types) > 1 {
		f.Note("the rows are of %d types: %s", len(types), List(types))
	}
}

// NoVar returns an error if a variable is requested, for formats without names.
func (f *File) NoVar() error {
	if f.Var == "" {
		return nil
	}
	return fmt.Errorf("%s: variable %q: a file of this type holds one matrix without a name; leave the variable out: %w", f.Path, f.Var, ErrVar)
}

// Meant returns what x stands for, and counts it.
func (f *File) Meant(x float64) float64 {
	if f.Tally != nil {
		f.Tally.Add(x)
	}
	return f.Meaning.Of(x)
}

// In sets the part of the file that messages name, until leave is called.
func (f *File) In(part string) (leave func()) {
	old := f.part
	f.part = part + ": "
	return func() { f.part = old }
}

// Bad returns an error that wraps ErrFormat and names the file and byte off. In a deflated
// part, off counts inflated bytes.
func (f *File) Bad(off int64, format string, args ...any) error {
	return fmt.Errorf("%s: %sbyte %d: %s: %w", f.Path, f.part, off, fmt.Sprintf(format, args...), ErrFormat)
}

// BadLine is Bad for text: it names the line instead of the byte, or none that is 0.
func (f *File) BadLine(line int, format string, args ...any) error {
	at := ""
	if line > 0 {
		at = fmt.Sprintf("line %d: ", line)
	}
	return fmt.Errorf("%s: %s%s: %w", f.Path, at, fmt.Sprintf(format, args...), ErrFormat)
}

// Unsupported returns an error that wraps ErrUnsupported.
func (f *File) Unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.Path, f.part, fmt.Sprintf(format, args...), ErrUnsupported)
}

// TooLarge returns an error that wraps ErrTooLarge.
func (f *File) TooLarge(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.Path, f.part, fmt.Sprintf(format, args...), ErrTooLarge)
}

// ReadError returns the error for a failed read near byte off. It is the error of the file
// system, or wraps ErrFormat if the data end too early or do not decompress.
func (f *File) ReadError(off int64, err error) error {
	var pe *fs.PathError
	var ended *EndedError
	switch {
	case errors.As(err, &ended):
		return ended
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

// VarError returns a *VarError for a file with matrices of these names. listed describes them.
func (f *File) VarError(names, listed []string) error {
	return &VarError{Path: f.Path, Asked: f.Var, Names: names, Listed: List(listed)}
}
