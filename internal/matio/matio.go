package matio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"nmu/internal/direct"
	"nmu/internal/regular"
)

var (
	// ErrChanged reports a mapped file that changed while its data were in use.
	ErrChanged = errors.New("the file has changed")
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
	in      *input
	opt     Options
	stack   *stack // what Parts reads blocks of: a .npy file or a folder of them
	folder  *sciPy // or a folder with a sparse matrix
	mapping []byte
	direct  *direct.File // the same file, for Lines; else nil
	remove  string       // the path of a temporary file
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
		err = f.in.unsupported("not a regular file or a folder")
	default:
		if f.in.file, err = regular.Open(path); err != nil {
			return nil, err
		}
		if info, err = f.in.file.Stat(); err == nil {
			f.in.size, f.in.modified = info.Size(), info.ModTime()
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
	in := newInput(path, opt.MaxMemory)
	in.variable, in.transpose, in.spill = opt.Var, opt.Transpose, opt.Spill
	return &File{in: in, opt: opt}
}

// Dims returns the size of the matrix, after transposition if that was asked for.
func (f *File) Dims() (rows, cols int) { return f.in.dims() }

// Path returns what f was opened from.
func (f *File) Path() string { return f.in.path }

// Transposed says whether the matrix is the transpose of the stored one.
func (f *File) Transposed() bool { return f.in.transpose }

// RowNames returns the names of the rows, or nil if they have none.
func (f *File) RowNames() []string {
	if f.in.transpose {
		return f.in.colNames
	}
	return f.in.rowNames
}

// ColNames returns the names of the columns, or nil if they have none.
func (f *File) ColNames() []string {
	if f.in.transpose {
		return f.in.rowNames
	}
	return f.in.colNames
}

// SetRowNames gives the rows names, as many as Dims says.
func (f *File) SetRowNames(names []string) {
	if f.in.transpose {
		f.in.colNames = names
	} else {
		f.in.rowNames = names
	}
}

// SetColNames gives the columns names, as many as Dims says.
func (f *File) SetColNames(names []string) {
	if f.in.transpose {
		f.in.rowNames = names
	} else {
		f.in.colNames = names
	}
}

// Images returns the paths within the folder of the images that are the columns of the
// matrix, or its rows if it is transposed, and their size in pixels; nil for other
// files.
func (f *File) Images() (names []string, h, w int) {
	if d, ok := f.in.data.(*imageFolder); ok {
		return d.names, f.in.height, f.in.width
	}
	return nil, 0, 0
}

// Notes returns what Open recognised that the file does not say in so many words.
func (f *File) Notes() []string { return f.in.notes }

// Sparse says whether the matrix is stored as a sparse matrix.
func (f *File) Sparse() bool { return f.in.entries != nil }

// ImageSize returns the height and width in pixels of the images that are the
// columns of the matrix. ok is false where that is unknown and for a transposed
// matrix, whose columns are no images.
func (f *File) ImageSize() (h, w int, ok bool) {
	if f.in.height == 0 || f.in.transpose {
		return 0, 0, false
	}
	return f.in.height, f.in.width, true
}

// MapSize returns the height and width in pixels of the image whose pixels are, line by
// line, the columns of the matrix, or its rows if it is transposed. ok is false where
// there is none.
func (f *File) MapSize() (h, w int, ok bool) {
	return f.in.mapHeight, f.in.mapWidth, f.in.mapHeight > 0
}

// Mapped says whether the data that Dense returned are a read-only mapping of
// the file.
func (f *File) Mapped() bool { return f.mapping != nil }

// Close closes the file and removes its memory mapping: what Dense returned is
// invalid afterwards.
func (f *File) Close() error {
	if f.in.closed {
		return nil
	}
	var err error
	if f.mapping != nil {
		err = unmapFile(f.mapping)
		f.mapping = nil
	}
	if f.direct != nil {
		err = errors.Join(err, f.direct.Close())
	}
	err = errors.Join(err, f.in.close())
	if f.remove != "" {
		err = errors.Join(err, os.Remove(f.remove))
	}
	return err
}

// Fits returns a *MemoryError if work needs more bytes, beside what was read and
// reserved, than Options.MaxMemory leaves.
func (f *File) Fits(bytes int64, work string) error { return f.in.Fits(bytes, work) }

// Reserve is Fits, and counts the bytes as used from now on.
func (f *File) Reserve(bytes int64, work string) error { return f.in.Reserve(bytes, work) }

// Left returns how many bytes of Options.MaxMemory are left beside what was read
// and reserved.
func (f *File) Left() int64 { return f.in.Left() }

// openContent chooses the reader of a file by its content, then by its name.
func (f *File) openContent() error {
	head := make([]byte, 1024)
	n, err := f.in.file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:n]
	name := strings.ToLower(filepath.Base(f.in.path))
	if f.opt.Format != "" {
		name = "." + strings.ToLower(strings.TrimPrefix(f.opt.Format, "."))
	}
	ext := filepath.Ext(name)
	switch {
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return openNpy(f.in)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return openNpz(f.in)
	case isMat(head), ext == ".mat", isHDF5(head):
		return openMat(f.in, head)
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(io.NewSectionReader(f.in.file, 0, f.in.size))
		if err != nil {
			return f.in.readError(0, err)
		}
		f.in.deflated = true
		return f.openText(z, strings.TrimSuffix(name, ext))
	case ext == ".npy", ext == ".npz":
		return f.in.bad(0, "this is no %s file: it does not begin as one", ext)
	case isPGM(head), isPNG(head):
		return f.in.unsupported("this is one image: give the folder of images instead")
	}
	return f.openText(io.NewSectionReader(f.in.file, 0, f.in.size), name)
}

// openText opens text from r that is, without compression, in a file of this name.
func (f *File) openText(r io.Reader, name string) error {
	text := newText(f.in, r)
	banner := text.hasPrefix(mtxBanner)
	switch ext := filepath.Ext(name); {
	case banner, ext == ".mtx":
		return openMtx(f.in, text)
	case ext == ".hdr", text.hasPrefix("ENVI"):
		return openENVI(f.in, text, nil)
	case ext == ".csv", ext == ".tsv", ext == ".txt":
		return openTable(f.in, text, &f.opt.Table, ext == ".tsv")
	}
	if header, err := headerBeside(f.in); err == nil {
		defer header.Close()
		raster := f.in.file
		f.in.file = nil
		return openENVI(f.in, header, raster)
	}
	return f.in.unsupported("unknown type of file: %s", typesRead())
}

// openFolder opens a folder: its content tells whether that is images, a dense matrix
// in parts or a sparse one.
func (f *File) openFolder() error {
	names, err := npyNames(f.in)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return openImages(f.in, f.opt.Grey)
	}
	return f.openNpyFolder(names)
}

// openNpyFolder opens a folder with .npy files of these names.
func (f *File) openNpyFolder(names []string) (err error) {
	if err := f.in.noVar(); err != nil {
		return err
	}
	if images, _, err := imageNames(f.in); err != nil || len(images) > 0 {
		return f.in.unsupported("a folder with .npy files, such as %s, and images: keep them apart, so that it is clear which are the matrix", names[0])
	}
	f.stack, f.folder, err = openNpyFolder(f.in, names)
	return err
}
