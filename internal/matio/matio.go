package matio

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nmu/internal/direct"
	"nmu/internal/fileset"
	"nmu/internal/matio/internal/cells"
	"nmu/internal/matio/internal/curves"
	"nmu/internal/matio/internal/envi"
	"nmu/internal/matio/internal/folder"
	"nmu/internal/matio/internal/hdf5"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/names"
	"nmu/internal/matio/internal/picture"
	"nmu/internal/matio/internal/scipy"
	"nmu/internal/matio/internal/text"
	"nmu/internal/regular"
)

var (
	// ErrChanged reports a mapped file that changed while its data were in use.
	ErrChanged = errors.New("the file has changed")
	// ErrNotSparse reports a dense matrix where a sparse one is needed.
	ErrNotSparse = errors.New("not a sparse matrix")
)

// Options says what to read from a file.
type Options struct {
	// Var names the variable in a .mat, .npz or HDF5 file. See the package comment for
	// what an empty name means.
	Var string
	// Transpose gives the transpose of the stored matrix.
	Transpose bool
	// Grey converts colour images to grey: 0.299 red, 0.587 green, 0.114 blue, of the stored
	// values.
	Grey bool
	// MaxMemory is how many bytes may be used to read the matrix and to hold it. A file that
	// needs more is a *MemoryError, before the memory is taken. Mapped files do not count. 0
	// stands for the free memory of this machine when the file is opened.
	MaxMemory int64
	// InUse is how many bytes of MaxMemory the caller has taken already.
	InUse int64
	// Table says how a table in a text file is read.
	Table Table
	// Codes are numbers that stand for missing entries, and are read as NaN, also where float32 rounds them.
	Codes []float64
	// Negative says what negative entries are. For this and for Codes Open reads the matrix once more, to note how
	// many entries there are.
	Negative Negative
	// Spill says where Open stores the numbers of a text file; nil for memory.
	Spill *Spill
	// Format is the type of the file, written as an extension without its point, such as "csv".
	// It replaces the extension of the path. The content of the file takes precedence.
	Format string
	// Context ends the reading of the file with its cause; nil for none. That of Spill replaces
	// it.
	Context context.Context
	// Alike says that a file of OpenBeside has an entry for each one of M. If its columns have the names of those of M,
	// the first column of a table holds no labels.
	Alike bool
	// Own says that this program has written the file, so that Reading returns its notes alone.
	Own bool
	// Library makes errors and notes name settings, as in header=no, and not flags of the command, as
	// in --header no.
	Library bool

	further bool // the file is one of OpenBeside
}

// File is an opened matrix file. It must be closed. Its methods and Dense and
// Sparse may not be called concurrently.
type File struct {
	in      *input.File
	opt     Options
	stack   *folder.Stack // what Parts reads blocks of: a .npy file or a folder of them
	rows    *scipy.Matrix // or a sparse matrix by rows, in a folder or an HDF5 file
	mapping []byte
	direct  *direct.File // the same file, for Lines; else nil
	remove  string       // the path of a temporary file
	beside  []string     // the notes of the files of OpenBeside
	atClose []func()

	memory func(do func(x []float64) error) error // of Outline, else nil
}

// Open opens the matrix in path, a file or a folder. Errors wrap those
// of the file system, ErrFormat, ErrUnsupported, ErrVar or ErrTooLarge. If a process was killed while it
// replaced files there, Open completes that first.
func Open(path string, opt Options) (*File, error) {
	fileset.Complete(path, true) // a folder without some of its files may be another matrix
	f, err := open(path, opt)
	if err != nil && fileset.Complete(filepath.Dir(path), false) {
		return open(path, opt)
	}
	return f, err
}

func open(path string, opt Options) (*File, error) {
	f, err := openWith(path, opt, (*File).openFolder, (*File).openContent)
	if err == nil {
		err = f.finish()
	}
	return f, err
}

// finish reads what opening a file leaves to read. It closes the file if there is an error.
func (f *File) finish() error {
	f.decode()
	err := f.count()
	if err != nil {
		f.Close()
	}
	return err
}

// openWith opens path with one function if it is a folder, and with the other if it is a file, once its handle is open.
func openWith(path string, opt Options, folder, file func(*File) error) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f := newFile(path, opt)
	switch {
	case info.IsDir():
		err = folder(f)
	case !info.Mode().IsRegular():
		err = f.in.Unsupported("not a regular file or a folder")
	default:
		if err = f.openHandle(path); err == nil {
			err = file(f)
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openHandle opens the file path, whose content is that of f.
func (f *File) openHandle(path string) (err error) {
	if f.in.Handle, err = regular.Open(path); err != nil {
		return err
	}
	info, err := f.in.Handle.Stat()
	if err == nil {
		f.in.Size, f.in.Modified = info.Size(), info.ModTime()
	}
	return err
}

// decode makes all names UTF-8.
func (f *File) decode() {
	axis := []string{f.in.RowAxis}
	rows, cols := names.UTF8(f.in.RowNames), names.UTF8(f.in.ColNames)
	if names.UTF8(axis) || rows || cols {
		f.in.Note("the names are not in UTF-8 and are taken for Latin-1")
		f.in.RowAxis = axis[0]
	}
}

// newFile returns a File that is not open yet.
func newFile(path string, opt Options) *File {
	in := input.New(path, opt.MaxMemory)
	in.Used = opt.InUse
	in.Var, in.Transpose, in.Spill, in.Library = opt.Var, opt.Transpose, opt.Spill, opt.Library
	in.Meaning = input.Meaning{Codes: opt.Codes, Negative: opt.Negative}
	if in.Meaning.Any() {
		in.Tally = &Tally{Codes: opt.Codes}
	}
	in.Context = opt.Context
	if opt.Spill != nil {
		in.Context = opt.Spill.Context
	}
	return &File{in: in, opt: opt}
}

// Outline returns what stands for a matrix in memory, of which it knows the name, the size and its numbers, which each
// goes through: further matrices are opened beside it, and notes are kept.
func Outline(name string, rows, cols int, each func(do func(x []float64) error) error, opt Options) *File {
	f := newFile(name, opt)
	f.in.Kind, f.in.Rows, f.in.Cols, f.memory = "matrix in memory", rows, cols, each
	return f
}

// Until makes ctx end what is read from now on, with its cause. It replaces the context of
// Options.
func (f *File) Until(ctx context.Context) { f.in.Context = ctx }

// Dims returns the size of the matrix, after transposition if that was asked for.
func (f *File) Dims() (rows, cols int) { return f.in.Dims() }

// Path returns the path from which f was opened.
func (f *File) Path() string { return f.in.Path }

// Transposed says whether the matrix is the transpose of the stored one.
func (f *File) Transposed() bool { return f.in.Transpose }

// names returns where the names of the rows of Dims are, or those of its columns.
func (f *File) names(rows bool) *[]string {
	if rows != f.in.Transpose {
		return &f.in.RowNames
	}
	return &f.in.ColNames
}

// RowNames returns the names of the rows, or nil if they have none.
func (f *File) RowNames() []string { return *f.names(true) }

// ColNames returns the names of the columns, or nil if they have none.
func (f *File) ColNames() []string { return *f.names(false) }

// SetRowNames sets the names of the rows, one for each row of Dims.
func (f *File) SetRowNames(names []string) { *f.names(true) = names }

// SetColNames sets the names of the columns, one for each column of Dims.
func (f *File) SetColNames(names []string) { *f.names(false) = names }

// Images returns the paths of images within their folder, and their height and width in pixels.
// The images are the columns of the matrix, or its rows if it is transposed. For other files
// names is nil.
func (f *File) Images() (names []string, h, w int) {
	if d, ok := f.in.Dense.(*picture.Folder); ok {
		return d.Names, f.in.Height, f.in.Width
	}
	return nil, 0, 0
}

// Notes returns what Open found in the file, in sentences, and the sentences of Note.
func (f *File) Notes() []string { return f.in.Notes }

// Guessed says whether Open decided something that the file leaves open.
func (f *File) Guessed() bool { return f.in.Guessed || len(f.in.Notes) > 0 }

// Reading says in one line how the file is read: its kind, rows x columns, the first and the last name of rows and
// of columns and where the names are, what is left out, and the notes.
func (f *File) Reading() string {
	if f.opt.Own {
		return strings.Join(f.in.Notes, "; ")
	}
	rows, cols := f.Dims()
	size := fmt.Sprintf("%s, %d x %d", f.in.Kind, rows, cols)
	if f.Sparse() {
		size += ", sparse"
	}
	if f.in.Transpose {
		size += ", transposed"
	}
	line := []string{size, namedBy("rows", f.RowNames(), *f.from(true)), namedBy("columns", f.ColNames(), *f.from(false))}
	if f.in.LeftOut != nil {
		line = append(line, "left out: "+strings.Join(f.in.LeftOut, ", "))
	}
	return strings.Join(append(line, f.in.Notes...), "; ")
}

// namedBy describes the names of rows or columns, and where they are.
func namedBy(what string, names []string, from string) string {
	switch n := len(names); {
	case n == 0 && from == "":
		return what + " without names"
	case n == 0:
		return what + " named by " + from
	case n == 1:
		what += fmt.Sprintf(" %.40q", names[0])
	default:
		what += fmt.Sprintf(" %.40q to %.40q", names[0], names[n-1])
	}
	if from != "" {
		what += " (" + from + ")"
	}
	return what
}

// from returns where the names of the rows of Dims are in the file, or those of its columns.
func (f *File) from(rows bool) *string {
	if rows != f.in.Transpose {
		return &f.in.RowsFrom
	}
	return &f.in.ColsFrom
}

// Setting names a setting with its value, if it is not empty, as messages about the file do: see Options.Library.
func (f *File) Setting(name, value string) string { return f.in.Setting(name, value) }

// Note adds a sentence about the file to Notes.
func (f *File) Note(format string, args ...any) { f.in.Note(format, args...) }

// Sparse says whether the matrix is stored as a sparse matrix.
func (f *File) Sparse() bool { return f.in.Sparse != nil }

// ImageSize returns the height and width in pixels of the images that are the columns of the
// matrix. ok is false if the size is unknown or the matrix is transposed.
func (f *File) ImageSize() (h, w int, ok bool) {
	if f.in.Height == 0 || f.in.Transpose {
		return 0, 0, false
	}
	return f.in.Height, f.in.Width, true
}

// MapSize returns the height and width in pixels of an image with one pixel for each column of
// the matrix, line by line, or for each row if it is transposed. ok is false if there is none.
func (f *File) MapSize() (h, w int, ok bool) {
	return f.in.MapHeight, f.in.MapWidth, f.in.MapHeight > 0
}

// Bad returns the rows or the columns that the file itself marks as bad, from 0: the bands that the header of an
// ENVI cube does not recommend.
func (f *File) Bad() (rows, cols []int) {
	if f.in.Transpose {
		return nil, f.in.BadRows
	}
	return f.in.BadRows, nil
}

// Axes say what the names of the rows and those of the columns are, if they are numbers, such as "wavelength
// (Nanometers)". They are empty if that is not known.
func (f *File) Axes() (rows, cols string) {
	if f.in.Transpose {
		return "", f.in.RowAxis
	}
	return f.in.RowAxis, ""
}

// Mapped says whether the data that Dense returned are a read-only mapping of
// the file.
func (f *File) Mapped() bool { return f.mapping != nil }

// Close closes the file and removes its memory mapping. The mapped data of Dense are invalid
// afterwards.
func (f *File) Close() error {
	if f.in.Closed {
		return nil
	}
	for _, do := range f.atClose {
		do()
	}
	var err error
	if f.mapping != nil {
		err = unmapFile(f.mapping)
		f.mapping = nil
	}
	if f.direct != nil {
		err = errors.Join(err, f.direct.Close())
	}
	err = errors.Join(err, f.in.Close())
	if f.remove != "" {
		err = errors.Join(err, os.Remove(f.remove))
	}
	return err
}

// Fits returns a *MemoryError if work needs more bytes than Options.MaxMemory leaves beside the
// memory that is in use or reserved.
func (f *File) Fits(bytes int64, work string) error { return f.in.Fits(bytes, work) }

// Reserve is Fits, and counts the bytes as used from now on.
func (f *File) Reserve(bytes int64, work string) error { return f.in.Reserve(bytes, work) }

// Left returns how many bytes of Options.MaxMemory are neither in use nor reserved.
func (f *File) Left() int64 { return f.in.Left() }

// Shared returns Options for a further file, which may take what f leaves of its memory.
func (f *File) Shared() Options {
	return Options{MaxMemory: f.in.Limit, InUse: f.in.Used, Library: f.in.Library}
}

// headBytes is the number of bytes from which the type of a file is recognised.
const headBytes = 1024

// head returns the first headBytes bytes of the file, or all of a shorter one.
func (f *File) head() ([]byte, error) {
	head := make([]byte, headBytes)
	n, err := f.in.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head[:n], nil
}

// openContent chooses the reader of a file by its content, then by its name.
func (f *File) openContent() error {
	head, err := f.head()
	if err != nil {
		return err
	}
	name := strings.ToLower(filepath.Base(f.in.Path))
	if f.opt.Format != "" {
		name = "." + strings.ToLower(strings.TrimPrefix(f.opt.Format, "."))
	}
	ext := filepath.Ext(name)
	if ok, err := f.openAs(binaries(), content{head: head, ext: ext}); ok {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(f.in.Section())
		if err != nil {
			return f.in.ReadError(0, err)
		}
		f.in.Deflated = true
		inflated := bufio.NewReaderSize(z, headBytes)
		begin, _ := inflated.Peek(headBytes) // what is wrong shows below
		if err := f.checkForeign(begin); err != nil {
			return err
		}
		return f.openText(inflated, strings.TrimSuffix(name, ext))
	case ext == ".npy", ext == ".npz":
		return f.in.Bad(0, "the file does not begin like a %s file; it is damaged or has the wrong extension", ext)
	case picture.IsPGM(head), picture.IsPNG(head):
		return f.in.Foreign("one image", oneImage)
	}
	if err := f.checkForeign(head); err != nil {
		return err
	}
	return f.openText(f.in.Section(), name)
}

// openHDF5 opens an HDF5 file. Parts can read blocks of a sparse matrix that is stored by rows.
func (f *File) openHDF5() error {
	s, err := hdf5.Open(f.in)
	if s != nil && s.Format == "csr" {
		f.rows = s
	}
	return err
}

// openText opens the text r. name is the name of the file without the extension of a
// compression.
func (f *File) openText(r io.Reader, name string) error {
	text := text.New(f.in, r)
	begin, _ := text.Peek(headBytes) // what is wrong shows below
	if ok, err := f.openAs(texts(), content{head: begin, ext: filepath.Ext(name), text: text}); ok {
		return err
	}
	if path := envi.Header(f.in.Path); path != "" {
		header, err := regular.Open(path)
		if err != nil {
			return err
		}
		defer header.Close()
		raster := f.in.Handle
		f.in.Kind = "ENVI cube"
		f.in.Handle = nil
		return envi.Open(f.in, header, raster)
	}
	if err := f.foreignName(filepath.Ext(name)); err != nil {
		return err
	}
	if f.in.Deflated {
		return f.in.Foreign("compressed by gzip, and no "+compressible(), unpack)
	}
	return f.in.Unsupported("unknown type of file: %s", typesRead())
}

// openFolder opens a folder of Cell Ranger, of .npy files, of images or of curves.
func (f *File) openFolder() error {
	d, err := cells.Find(f.in)
	if err != nil {
		return err
	}
	if d.Matrix != "" {
		return f.openCells(d)
	}
	names, err := folder.Names(f.in)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		f.in.Kind = "folder of .npy files"
		return f.openNpyFolder(names)
	}
	if names, err = curves.Names(f.in); err != nil {
		return err
	}
	if images, _, err := picture.Names(f.in); err == nil && len(images) == 0 && len(names) > 0 {
		return curves.Open(f.in, names, &f.opt.Table)
	}
	f.in.Kind = "folder of images"
	return picture.Open(f.in, f.opt.Grey)
}

// openCells opens a folder of Cell Ranger. The names of a Spill would take memory, and are left out.
func (f *File) openCells(d cells.Folder) (err error) {
	if err := f.in.NoVar(); err != nil {
		return err
	}
	whole, format := f.in.Path, f.opt.Format
	f.in.Path, f.opt.Format = d.Matrix, "mtx" // the path for messages about its lines
	if err = f.openHandle(d.Matrix); err == nil {
		err = f.openContent()
	}
	f.opt.Format = format
	if err != nil {
		return err
	}
	if f.in.Spill == nil {
		f.in.Path = whole
		if err := d.Name(f.in); err != nil {
			return err
		}
	}
	f.in.Kind, f.in.Guessed = "folder of Cell Ranger", true
	if f.in.RowNames != nil {
		f.in.RowsFrom = filepath.Base(d.Features)
	}
	if f.in.ColNames != nil {
		f.in.ColsFrom = filepath.Base(d.Barcodes)
	}
	return nil
}

// EachLine calls do for each line of a text file in UTF-8 or, with a note, Latin-1, which may be compressed by gzip.
func (f *File) EachLine(path string, do func(line int, text string) error) error {
	return names.Each(path, func(line int, text []byte) error {
		word := []string{string(text)}
		if names.UTF8(word) {
			f.in.Guessed = true
			f.noteBeside(path, "the text is not in UTF-8 and is taken for Latin-1")
		}
		return do(line, word[0])
	})
}

// ReadNames reads a name for each of n rows or columns from a text file, which may be compressed by
// gzip: its lines, or one of their columns, counted from 1. column is 0 for whole lines. what
// says what the names are of, such as row. Their memory counts towards the limit of f.
func (f *File) ReadNames(path string, column, n int, what string) ([]string, error) {
	return names.Read(f.in, path, f.opt.Table.Separator, column, n, what)
}

// openNpyFolder opens a folder with .npy files of these names.
func (f *File) openNpyFolder(names []string) (err error) {
	if err := f.in.NoVar(); err != nil {
		return err
	}
	if images, _, err := picture.Names(f.in); err != nil || len(images) > 0 {
		return f.in.Unsupported("the folder holds .npy files, such as %s, and images: keep them apart, in one folder each", names[0])
	}
	f.stack, f.rows, err = folder.Open(f.in, names)
	return err
}

func closedError(f *File) error {
	return fmt.Errorf("%s: %w", f.in.Path, os.ErrClosed)
}
