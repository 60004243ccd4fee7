package matio

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/regular"
)

// The files of a folder that holds a sparse matrix in compressed sparse row form.
const (
	csrShape   = "shape.npy"   // two sizes: rows, columns
	csrIndptr  = "indptr.npy"  // rows + 1 integers: where each row begins in the others
	csrIndices = "indices.npy" // the column of each entry
	csrData    = "data.npy"    // its value
)

// csrNames are the names of these files in the order in which they are read.
var csrNames = []string{csrShape, csrIndptr, csrIndices, csrData}

// CSRNames returns the names of the files that make up a folder with a sparse matrix.
func CSRNames() []string { return slices.Clone(csrNames) }

// partBytes is what a part of a matrix takes beside its name.
const partBytes = 1 << 10

// openFolder opens a folder: its content tells whether that is images, a dense matrix
// in parts or a sparse one.
func (f *File) openFolder() error {
	names, err := f.npyNames()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return f.openImages()
	}
	if err := f.openNpyFolder(names); err != nil {
		return err
	}
	if f.entries == nil {
		f.data = &stackData{f}
	}
	return nil
}

// npyNames lists the .npy files of the folder, in the order of their names.
func (f *File) npyNames() (names []string, err error) {
	list, err := os.ReadDir(f.path)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		name := e.Name()
		if strings.HasPrefix(name, ".") || e.IsDir() || !strings.EqualFold(filepath.Ext(name), ".npy") {
			continue
		}
		if err := f.Reserve(int64(len(name))+stringBytes+partBytes, "its list of parts"); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	slices.SortFunc(names, natural)
	return names, nil
}

// openNpyFolder opens a folder of .npy files as the matrix that they are: a sparse one
// sets f.entries, a dense one f.parts.
func (f *File) openNpyFolder(names []string) error {
	if err := f.noVar(); err != nil {
		return err
	}
	images := &imageFolder{f: f}
	if _, err := images.find(); err != nil || len(images.names) > 0 {
		return f.unsupported("a folder with .npy files, such as %s, and images: keep them apart, so that it is clear which are the matrix", names[0])
	}
	if slices.Contains(names, csrIndptr) || slices.Contains(names, csrIndices) {
		return f.openCSRFolder(names)
	}
	return f.openStack(names)
}

// openStack opens the parts of a dense matrix.
func (f *File) openStack(names []string) error {
	s := &stack{}
	f.parts = s
	rows := int64(0)
	for _, name := range names {
		p, err := f.openPart(name)
		if err != nil {
			return err
		}
		if len(s.parts) > 0 && p.cols != s.cols {
			p.Close()
			return f.bad(0, "the parts are no matrix: %s has %d columns, but %s has %d", name, p.cols, names[0], s.cols)
		}
		s.parts = append(s.parts, stackPart{File: p, first: rows})
		s.cols = p.cols
		rows += int64(p.rows)
		f.size += p.size
		if len(names) > mostOpen { // it is opened again to be read
			if err := p.file.Close(); err != nil {
				return err
			}
			p.file = nil
		}
	}
	_, err := f.setDims(rows, int64(s.cols))
	return err
}

// openPart opens a .npy file of the folder.
func (f *File) openPart(name string) (*File, error) {
	p := newFile(filepath.Join(f.path, name), Options{MaxMemory: f.limit})
	info, err := os.Stat(p.path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, p.unsupported("not a regular file")
	}
	if p.file, err = regular.Open(p.path); err != nil {
		return nil, err
	}
	p.size = info.Size()
	if err := p.openNpy(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// openCSRFolder opens a sparse matrix.
func (f *File) openCSRFolder(names []string) error {
	for _, name := range csrNames {
		if !slices.Contains(names, name) {
			return f.bad(0, "a folder with a sparse matrix holds %s: there is no %s", list(csrNames), name)
		}
	}
	for _, name := range names {
		if !slices.Contains(csrNames, name) {
			return f.bad(0, "a folder with a sparse matrix holds %s, not %s as well", list(csrNames), name)
		}
	}
	s := &sciPy{f: f, format: "csr", part: "%s.npy", member: map[string]array{}}
	f.scipy = s
	for _, name := range csrNames {
		p, err := f.openPart(name)
		if err != nil {
			return err
		}
		s.files = append(s.files, p)
		f.size += p.size
		if err := s.add(strings.TrimSuffix(name, ".npy"), p.raw, p.dims); err != nil {
			return err
		}
	}
	return s.open()
}

// closeParts closes the files of a folder.
func (f *File) closeParts() (err error) {
	closeAll := func(files []*File) {
		for _, p := range files {
			if failed := p.Close(); err == nil {
				err = failed
			}
		}
	}
	if f.parts != nil {
		for _, p := range f.parts.parts {
			closeAll([]*File{p.File})
		}
	}
	if f.scipy != nil {
		closeAll(f.scipy.files)
	}
	return err
}

// mostOpen is how many parts of a matrix are open all the time.
const mostOpen = 256

// stack is a dense matrix in parts that lie one below the other.
type stack struct {
	parts []stackPart
	cols  int
}

// stackPart is a .npy file of a matrix.
type stackPart struct {
	*File
	first int64 // row of the matrix
}

// stackData is the stack of a File as its elements, row by row.
type stackData struct{ f *File }

func (d *stackData) verify() error { return nil } // the files were compared with their headers

func (d *stackData) open() (source, error) {
	s := &stackSource{f: d.f, width: min(d.f.cols, stackChunk)}
	s.height = min(stackChunk/max(1, s.width), d.f.rows)
	var err error
	s.buf, err = alloc[float64](d.f, int64(s.width)*int64(s.height))
	return s, err
}

// stackChunk is how many elements of a stack are read at once.
const stackChunk = 1 << 18

// stackSource delivers the elements of a stack: some rows after the other, or of long
// rows a piece.
type stackSource struct {
	f             *File
	row, col      int // where to go on
	height, width int // of what is read at once
	buf           []float64
	rest          []float64 // of buf, not yet delivered
}

func (s *stackSource) next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			b := Block{s.row, min(s.row+s.height, s.f.rows), s.col, min(s.col+s.width, s.f.cols)}
			s.rest = s.buf[:b.rows()*b.cols()]
			if err := readStack(s.f, s.rest, b.cols(), b, false, nil); err != nil {
				return err
			}
			if s.col = b.J1; s.col == s.f.cols {
				s.row, s.col = b.I1, 0
			}
		}
		n := copy(dst, s.rest)
		dst, s.rest = dst[n:], s.rest[n:]
	}
	return nil
}

func (s *stackSource) close() error { return nil }
