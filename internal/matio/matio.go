package matio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nmu/internal/direct"
	"nmu/internal/memory"
	"nmu/internal/regular"
)

// Float is the element type of a matrix in memory.
type Float interface{ float32 | float64 }

// Errors that those of this package wrap.
var (
	// ErrFormat reports a file that breaks the rules of its format or is
	// truncated. The message names the place.
	ErrFormat = errors.New("malformed file")
	// ErrUnsupported reports a sound file of a kind this package does not read.
	ErrUnsupported = errors.New("not supported")
	// ErrVar reports a variable that is missing or not determined. The message
	// lists those there are.
	ErrVar = errors.New("no such variable")
	// ErrTooLarge reports sizes that this machine cannot hold, that are more than
	// Options.MaxMemory or that are out of proportion to the file.
	ErrTooLarge = errors.New("too large")
	// ErrChanged reports a mapped file that changed while its data were in use.
	ErrChanged = errors.New("the file has changed")
	// ErrPrecision reports numbers that would be lost in single precision.
	ErrPrecision = errors.New("beyond the precision")
	// ErrColour reports an image in colour, where Options.Grey does not allow it.
	ErrColour = fmt.Errorf("%w: an image in colour", ErrUnsupported)
	// ErrNotSparse reports a dense file that was to be read by Sparse.
	ErrNotSparse = errors.New("not a sparse matrix")
)

// Options says what to read from a file.
type Options struct {
	// Var names the variable in a .mat or .npz file. See the package comment for
	// what an empty name means.
	Var string
	// Transpose gives the transpose of the stored matrix.
	Transpose bool
	// Grey takes images in colour as grey ones: 0.299 red, 0.587 green, 0.114 blue, as
	// they are stored.
	Grey bool
	// MaxMemory is how many bytes may be used to read the matrix and to hold it; a
	// file that needs more is a *MemoryError, before the memory is taken. What is
	// mapped does not count. 0 stands for what this machine has free when the file
	// is opened.
	MaxMemory int64
	// Table says how a table in a text file is read.
	Table Table
	// Spill says where the numbers of a text file go, which Open has to read, instead of
	// memory; nil for memory.
	Spill *Spill
	// Format is the type of the file, as the extension of a name would say it without
	// its point, such as "csv"; for a path that says nothing. What the content says
	// counts more.
	Format string
}

// File is an opened matrix file. It must be closed. Its methods and Dense and
// Sparse may not be called concurrently.
type File struct {
	path       string
	opt        Options
	file       *os.File // nil for a folder
	size       int64    // bytes of the file, or of all images
	deflated   bool     // it is text in a gzip file
	part       string   // what is read, for messages: empty or with ": " at its end
	rows, cols int      // as stored
	height     int      // of each image, in pixels
	width      int
	mapHeight  int // of the image whose pixels are the columns
	mapWidth   int
	colMajor   bool // order of the elements of data
	data       dense
	entries    func() (entries, error) // of a sparse matrix, else nil
	read       *entries                // those of a text file, which Open has read
	listed     int64                   // how many entries a .mat file lists
	raw        *plainArray             // where the file holds the elements as they are
	dims       int                     // of the array in a .npy file
	parts      *stack                  // of a folder with a dense matrix
	scipy      *sciPy                  // of a sparse matrix in arrays
	mapping    []byte
	direct     *direct.File // the same file, for Lines; else nil
	closed     bool
	limit      int64     // bytes of memory
	used       int64     // of these
	modified   time.Time // the file, when it was opened
	rowNames   []string  // as stored; nil if there are none
	colNames   []string
	notes      []string
	remove     string // the path of a temporary file
	spilled    []*spilled
	stream     func(do func(i, j int32, v float64) error) error // of entries that are read once
	firstRow   int                                              // of a larger matrix, of which this one is a block
	firstCol   int
}

// dense is the stored elements of a dense matrix.
type dense interface {
	// verify makes sure that the elements are there as far as that is not known.
	verify() error
	// open starts reading from the first element.
	open() (source, error)
}

// source is a sequence of elements. next fills dst. close also checks what can
// be checked at the end only, so it is called when all elements were read.
type source interface {
	next(dst []float64) error
	close() error
}

// Open opens the matrix in path, a file or a folder. Errors wrap those
// of the file system, ErrFormat, ErrUnsupported, ErrVar or ErrTooLarge.
func Open(path string, opt Options) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f := newFile(path, opt)
	switch {
	case info.IsDir():
		err = f.openFolder()
	case !info.Mode().IsRegular():
		err = f.unsupported("not a regular file or a folder")
	default:
		if f.file, err = regular.Open(path); err != nil {
			return nil, err
		}
		if info, err = f.file.Stat(); err == nil {
			f.size, f.modified = info.Size(), info.ModTime()
			err = f.openContent()
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// newFile returns a File that is not open yet.
func newFile(path string, opt Options) *File {
	f := &File{path: path, opt: opt, limit: opt.MaxMemory}
	if f.limit <= 0 {
		f.limit = memory.Free()
	}
	return f
}

// Dims returns the size of the matrix, after transposition if that was asked for.
func (f *File) Dims() (rows, cols int) {
	if f.opt.Transpose {
		return f.cols, f.rows
	}
	return f.rows, f.cols
}

// Path returns what f was opened from.
func (f *File) Path() string { return f.path }

// Transposed says whether the matrix is the transpose of the stored one.
func (f *File) Transposed() bool { return f.opt.Transpose }

// RowNames returns the names of the rows, or nil if they have none.
func (f *File) RowNames() []string {
	if f.opt.Transpose {
		return f.colNames
	}
	return f.rowNames
}

// ColNames returns the names of the columns, or nil if they have none.
func (f *File) ColNames() []string {
	if f.opt.Transpose {
		return f.rowNames
	}
	return f.colNames
}

// SetRowNames gives the rows names, as many as Dims says.
func (f *File) SetRowNames(names []string) {
	if f.opt.Transpose {
		f.colNames = names
	} else {
		f.rowNames = names
	}
}

// SetColNames gives the columns names, as many as Dims says.
func (f *File) SetColNames(names []string) {
	if f.opt.Transpose {
		f.rowNames = names
	} else {
		f.colNames = names
	}
}

// Images returns the paths within the folder of the images that are the columns of the
// matrix, or its rows if it is transposed, and their size in pixels; nil for other
// files.
func (f *File) Images() (names []string, h, w int) {
	if d, ok := f.data.(*imageFolder); ok {
		return d.names, f.height, f.width
	}
	return nil, 0, 0
}

// Notes returns what Open recognised that the file does not say in so many words.
func (f *File) Notes() []string { return f.notes }

// note adds to Notes.
func (f *File) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// Sparse says whether the matrix is stored as a sparse matrix.
func (f *File) Sparse() bool { return f.entries != nil }

// ImageSize returns the height and width in pixels of the images that are the
// columns of the matrix. ok is false where that is unknown and for a transposed
// matrix, whose columns are no images.
func (f *File) ImageSize() (h, w int, ok bool) {
	if f.height == 0 || f.opt.Transpose {
		return 0, 0, false
	}
	return f.height, f.width, true
}

// MapSize returns the height and width in pixels of the image whose pixels are, line by
// line, the columns of the matrix, or its rows if it is transposed. ok is false where
// there is none.
func (f *File) MapSize() (h, w int, ok bool) { return f.mapHeight, f.mapWidth, f.mapHeight > 0 }

// Mapped says whether the data that Dense returned are a read-only mapping of
// the file.
func (f *File) Mapped() bool { return f.mapping != nil }

// Close closes the file and removes its memory mapping: what Dense returned is
// invalid afterwards.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	var err error
	if f.mapping != nil {
		err = unmapFile(f.mapping)
		f.mapping = nil
	}
	if f.direct != nil {
		err = errors.Join(err, f.direct.Close())
	}
	if f.file != nil {
		err = errors.Join(err, f.file.Close())
	}
	err = errors.Join(err, f.closeParts())
	for _, s := range f.spilled {
		err = errors.Join(err, s.remove())
	}
	if f.remove != "" {
		err = errors.Join(err, os.Remove(f.remove))
	}
	return err
}

// openContent chooses the reader of a file by its content, then by its name.
func (f *File) openContent() error {
	head := make([]byte, 1024)
	n, err := f.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	name := strings.ToLower(filepath.Base(f.path))
	if f.opt.Format != "" {
		name = "." + strings.ToLower(strings.TrimPrefix(f.opt.Format, "."))
	}
	ext := filepath.Ext(name)
	switch {
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return f.openNpy()
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return f.openNpz()
	case isMat(head), ext == ".mat", isHDF5(head):
		return f.openMat(head)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(io.NewSectionReader(f.file, 0, f.size))
		if err != nil {
			return f.readError(0, err)
		}
		f.deflated = true
		return f.openText(z, strings.TrimSuffix(name, ext))
	case ext == ".npy", ext == ".npz":
		return f.bad(0, "this is no %s file: it does not begin as one", ext)
	case isPGM(head), isPNG(head):
		return f.unsupported("this is one image: give the folder of images instead")
	}
	return f.openText(io.NewSectionReader(f.file, 0, f.size), name)
}

// openText opens text from r that is, without compression, in a file of this name.
func (f *File) openText(r io.Reader, name string) error {
	text := newText(f, r)
	banner := text.hasPrefix(mtxBanner)
	switch ext := filepath.Ext(name); {
	case banner, ext == ".mtx":
		return f.openMtx(text)
	case ext == ".hdr", text.hasPrefix("ENVI"):
		return f.openENVI(text, nil)
	case ext == ".csv", ext == ".tsv", ext == ".txt":
		return f.openTable(text, ext == ".tsv")
	}
	if header, err := f.headerBeside(); err == nil {
		defer header.Close()
		raster := f.file
		f.file = nil
		return f.openENVI(header, raster)
	}
	return f.unsupported("unknown type of file: %s", typesRead())
}

// noVar rejects Options.Var for types of files that name nothing.
func (f *File) noVar() error {
	if f.opt.Var == "" {
		return nil
	}
	return fmt.Errorf("%s: variable %q asked for, but a file of this type holds one matrix without a name: %w", f.path, f.opt.Var, ErrVar)
}

// in names the part of the file that is read from now on, for messages, until
// the function that it returns is called.
func (f *File) in(part string) (leave func()) {
	old := f.part
	f.part = part + ": "
	return func() { f.part = old }
}

// bad returns an error that wraps ErrFormat and names the file and the byte,
// counted in the inflated data where a part is deflated.
func (f *File) bad(off int64, format string, args ...any) error {
	return fmt.Errorf("%s: %sbyte %d: %s: %w", f.path, f.part, off, fmt.Sprintf(format, args...), ErrFormat)
}

// badLine is bad for text, with the number of the line.
func (f *File) badLine(line int, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s: %w", f.path, line, fmt.Sprintf(format, args...), ErrFormat)
}

func (f *File) unsupported(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.path, f.part, fmt.Sprintf(format, args...), ErrUnsupported)
}

func (f *File) tooLarge(format string, args ...any) error {
	return fmt.Errorf("%s: %s%s: %w", f.path, f.part, fmt.Sprintf(format, args...), ErrTooLarge)
}

// readError is the error for a failed read near byte off: that of the file
// system, or ErrFormat for data that end too early or do not decompress.
func (f *File) readError(off int64, err error) error {
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
func (f *File) setDims(rows, cols int64) (int64, error) {
	const maxInt = int64(^uint(0) >> 1)
	n, ok := mul(rows, cols)
	if !ok || rows > maxInt || cols > maxInt || f.entries == nil && n > maxInt {
		return 0, f.tooLarge("a matrix of %d x %d has more elements than can be counted", rows, cols)
	}
	f.rows, f.cols = int(rows), int(cols)
	return n, nil
}
