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

// npyNames lists the .npy files of the folder, in the order of their names.
func npyNames(f *input) (names []string, err error) {
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

// openNpyFolder opens a folder of .npy files as the matrix that they are: a dense one or a
// sparse one.
func openNpyFolder(f *input, names []string) (*stack, *sciPy, error) {
	if slices.Contains(names, csrIndptr) || slices.Contains(names, csrIndices) {
		s, err := openCSRFolder(f, names)
		return nil, s, err
	}
	s, err := openStack(f, names)
	return s, nil, err
}

// openStack opens the parts of a dense matrix.
func openStack(f *input, names []string) (*stack, error) {
	s := &stack{f: f}
	rows := int64(0)
	for _, name := range names {
		p, err := openPart(f, name)
		if err != nil {
			return nil, err
		}
		if len(s.parts) > 0 && p.cols != s.cols {
			return nil, f.bad(0, "the parts are no matrix: %s has %d columns, but %s has %d", name, p.cols, names[0], s.cols)
		}
		s.parts = append(s.parts, stackPart{input: p, first: rows})
		s.cols = p.cols
		rows += int64(p.rows)
		f.size += p.size
		if len(names) > mostOpen { // it is opened again to be read
			if err := p.file.Close(); err != nil {
				return nil, err
			}
			p.file = nil
		}
	}
	f.data = s
	_, err := f.setDims(rows, int64(s.cols))
	return s, err
}

// openPart opens a .npy file of the folder, which is closed with it.
func openPart(f *input, name string) (*input, error) {
	p := newInput(filepath.Join(f.path, name), f.limit)
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
	f.atClose(p.close)
	if err := openNpy(p); err != nil {
		return nil, err
	}
	return p, nil
}

// openCSRFolder opens a sparse matrix.
func openCSRFolder(f *input, names []string) (*sciPy, error) {
	for _, name := range csrNames {
		if !slices.Contains(names, name) {
			return nil, f.bad(0, "a folder with a sparse matrix holds %s: there is no %s", list(csrNames), name)
		}
	}
	for _, name := range names {
		if !slices.Contains(csrNames, name) {
			return nil, f.bad(0, "a folder with a sparse matrix holds %s, not %s as well", list(csrNames), name)
		}
	}
	s := &sciPy{f: f, format: "csr", part: "%s.npy", member: map[string]array{}}
	for _, name := range csrNames {
		p, err := openPart(f, name)
		if err != nil {
			return nil, err
		}
		f.size += p.size
		if err := s.add(strings.TrimSuffix(name, ".npy"), p.raw, p.raw.dims); err != nil {
			return nil, err
		}
	}
	return s, s.open()
}

// mostOpen is how many parts of a matrix are open all the time.
const mostOpen = 256

// stack is a dense matrix in parts that lie one below the other.
type stack struct {
	f     *input
	parts []stackPart
	cols  int
}

// stackPart is a .npy file of a matrix.
type stackPart struct {
	*input
	first int64 // row of the matrix
}

func (s *stack) verify() error { return nil } // the files were compared with their headers

// open starts reading the elements row by row.
func (s *stack) open() (source, error) {
	r := &stackSource{s: s, width: min(s.cols, stackChunk)}
	r.height = min(stackChunk/max(1, r.width), s.f.rows)
	var err error
	r.buf, err = alloc[float64](s.f, int64(r.width)*int64(r.height))
	return r, err
}

// stackChunk is how many elements of a stack are read at once.
const stackChunk = 1 << 18

// stackSource delivers the elements of a stack: some rows after the other, or of long
// rows a piece.
type stackSource struct {
	s             *stack
	row, col      int // where to go on
	height, width int // of what is read at once
	buf           []float64
	rest          []float64 // of buf, not yet delivered
}

func (s *stackSource) next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			b := Block{s.row, min(s.row+s.height, s.s.f.rows), s.col, min(s.col+s.width, s.s.cols)}
			s.rest = s.buf[:b.rows()*b.cols()]
			if err := readStack(s.s, s.rest, b.cols(), b, false, nil); err != nil {
				return err
			}
			if s.col = b.J1; s.col == s.s.cols {
				s.row, s.col = b.I1, 0
			}
		}
		n := copy(dst, s.rest)
		dst, s.rest = dst[n:], s.rest[n:]
	}
	return nil
}

func (s *stackSource) close() error { return nil }

// openAlone opens a .npy file as the only part of a matrix.
func openAlone(f *input) (*stack, error) {
	file, err := regular.Open(f.path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, len(npyMagic))
	_, err = file.ReadAt(head, 0)
	file.Close()
	if err != nil || string(head) != npyMagic {
		return nil, f.unsupported("no .npy file, and only those and folders of them are read by parts: nmu convert makes one")
	}
	part, err := openPart(f, "")
	if err != nil {
		return nil, err
	}
	f.size = part.size
	_, err = f.setDims(int64(part.rows), int64(part.cols))
	return stackOf(part), err
}

// stackOf returns a .npy file as the only part of a matrix.
func stackOf(f *input) *stack {
	return &stack{f: f, parts: []stackPart{{input: f}}, cols: f.cols}
}

// byColumns says whether columns lie together in the files, not rows.
func (s *stack) byColumns() bool { return len(s.parts) == 1 && s.parts[0].colMajor }

// single says whether float32 holds every number of the parts.
func (s *stack) single() bool {
	for _, part := range s.parts {
		if !part.raw.dt.single() {
			return false
		}
	}
	return true
}
