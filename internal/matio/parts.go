package matio

import (
	"fmt"
	"os"
	"unsafe"

	"nmu/internal/regular"
)

// Parts is an open matrix of which any block of rows and columns is read by itself,
// without the rest: in a .npy file, in a folder of .npy files of equal width, which lie
// one below the other in the order of their names, or in a folder with a sparse matrix.
// It must be closed. Blocks may be read concurrently.
type Parts struct {
	f       *File
	pointer []int64 // of a sparse matrix: the first and the last
}

// Block is the rows I0 to I1-1 and the columns J0 to J1-1 of a matrix.
type Block struct{ I0, I1, J0, J1 int }

func (b Block) rows() int { return b.I1 - b.I0 }
func (b Block) cols() int { return b.J1 - b.J0 }

// turned is the same block of the transpose.
func (b Block) turned() Block { return Block{b.J0, b.J1, b.I0, b.I1} }

// within says whether b is a block of a matrix of so many rows and columns.
func (b Block) within(rows, cols int) bool {
	return 0 <= b.I0 && b.I0 <= b.I1 && b.I1 <= rows && 0 <= b.J0 && b.J0 <= b.J1 && b.J1 <= cols
}

// OpenParts opens the matrix in path, of which Options.Transpose gives the transpose;
// the options for other types of files have no meaning here. The error wraps
// ErrUnsupported where the file is of another type, else what that of Open wraps. The
// numbers themselves are not read.
func OpenParts(path string, opt Options) (*Parts, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	f := newFile(path, opt)
	switch {
	case info.IsDir():
		var names []string
		if names, err = f.npyNames(); err != nil {
			break
		}
		if len(names) == 0 {
			err = f.unsupported("the folder holds no .npy file, and only those are read by parts")
			break
		}
		err = f.openNpyFolder(names)
	case !info.Mode().IsRegular():
		err = f.unsupported("not a regular file or a folder")
	default:
		err = f.openAlone()
	}
	p := &Parts{f: f}
	if err == nil && f.scipy != nil {
		p.pointer, err = f.scipy.ends()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

// openAlone opens a .npy file as the only part of a matrix.
func (f *File) openAlone() error {
	file, err := regular.Open(f.path)
	if err != nil {
		return err
	}
	head := make([]byte, len(npyMagic))
	_, err = file.ReadAt(head, 0)
	file.Close()
	if err != nil || string(head) != npyMagic {
		return f.unsupported("no .npy file, and only those and folders of them are read by parts: nmu convert makes one")
	}
	part, err := f.openPart("")
	if err != nil {
		return err
	}
	f.parts = &stack{parts: []stackPart{{File: part}}, cols: part.cols}
	f.size = part.size
	_, err = f.setDims(int64(part.rows), int64(part.cols))
	return err
}

// Parts returns the matrix of f as one of which blocks are read, or nil where that cannot
// be done. It is closed with f.
func (f *File) Parts() *Parts {
	if f.raw != nil && f.dims > 0 && f.parts == nil {
		f.parts = &stack{parts: []stackPart{{File: f}}, cols: f.cols}
	}
	if f.parts == nil || f.closed {
		return nil
	}
	return &Parts{f: f}
}

// PartsOf returns the rows x cols matrix whose elements, float32 or float64, little
// endian, lie in a file without a header, column by column or row by row. Closing it
// closes the file.
func PartsOf(file *os.File, rows, cols int, single, byColumns bool) *Parts {
	dt := dtype{kind: 'f', size: 8}
	if single {
		dt.size = 4
	}
	f := &File{path: file.Name(), file: file, rows: rows, cols: cols, colMajor: byColumns, dims: 2}
	f.raw = &plainArray{f: f, dt: dt, n: int64(rows) * int64(cols)}
	f.size = f.raw.n * int64(dt.size)
	return f.Parts()
}

// Dims returns the size of the matrix.
func (p *Parts) Dims() (rows, cols int) { return p.f.Dims() }

// Sparse says whether the matrix is stored as a sparse one.
func (p *Parts) Sparse() bool { return p.f.scipy != nil }

// Entries returns how many entries a sparse matrix has, which counts zeros and those of
// one place that are stored; 0 for a dense one.
func (p *Parts) Entries() int64 {
	if !p.Sparse() {
		return 0
	}
	return p.pointer[1]
}

// ByColumns says whether what lies together in the file are columns, so that blocks of
// whole columns are read fastest, and not rows.
func (p *Parts) ByColumns() bool {
	turned := p.f.opt.Transpose
	if s := p.f.parts; s != nil && len(s.parts) == 1 {
		return s.parts[0].colMajor != turned
	}
	return turned
}

// Float32 says whether float32 holds every number of the matrix as it is stored.
func (p *Parts) Float32() bool {
	if p.Sparse() {
		return p.f.scipy.member["data"].elements().single()
	}
	return p.f.parts.single()
}

// single says whether float32 holds every number of the parts.
func (s *stack) single() bool {
	for _, part := range s.parts {
		if !part.raw.dt.single() {
			return false
		}
	}
	return true
}

// single says whether float32 holds every number of the type.
func (d dtype) single() bool { return d.kind == 'f' && d.size == 4 || d.kind != 'f' && d.size <= 2 }

// Bytes returns the size of the files.
func (p *Parts) Bytes() int64 { return p.f.size }

// Close closes the files.
func (p *Parts) Close() error { return p.f.Close() }

// checkBlock returns an error for a block that is none of the matrix.
func (p *Parts) checkBlock(b Block, sparse bool) error {
	rows, cols := p.Dims()
	switch {
	case p.f.closed:
		return closedError(p.f)
	case sparse && !p.Sparse():
		return fmt.Errorf("%s: the matrix is dense: %w", p.f.path, ErrNotSparse)
	case !sparse && p.Sparse():
		return p.f.unsupported("the matrix is sparse, and its blocks as well")
	case !b.within(rows, cols):
		return fmt.Errorf("%s: rows %d to %d and columns %d to %d of a matrix of %d x %d", p.f.path, b.I0, b.I1, b.J0, b.J1, rows, cols)
	}
	return nil
}

// ReadRows reads the rows i0 to i1-1 of a dense matrix into dst, row by row without
// gaps. It is ReadBlock of whole rows.
func ReadRows[T Float](p *Parts, dst []T, i0, i1 int) error {
	_, cols := p.Dims()
	return ReadBlock(p, dst, cols, Block{i0, i1, 0, cols})
}

// ReadBlock reads a block of a dense matrix: entry i, j of the block becomes
// dst[i*stride+j]. What is beyond the block in a row of dst stays as it is.
//
// Where the file has the element type T and the order of bytes of this machine, and its
// lines are those of dst, it is read without a copy and nothing is allocated. The error
// wraps ErrFormat if the file was cut short meanwhile. If T is float32, numbers of
// float64 are rounded to it; one that is not zero but becomes so is ErrPrecision if it is
// negative, or in a block of whole rows if no other of its row stays.
func ReadBlock[T Float](p *Parts, dst []T, stride int, b Block) error {
	if err := p.checkBlock(b, false); err != nil {
		return err
	}
	if b.rows() == 0 || b.cols() == 0 {
		return nil
	}
	if err := checkStride(b.rows(), b.cols(), len(dst), stride); err != nil {
		return fmt.Errorf("%s: %w", p.f.path, err)
	}
	_, cols := p.Dims()
	var to *narrowing[T]
	if unsafe.Sizeof(dst[0]) == 4 && !p.Float32() {
		block := &File{path: p.f.path, rows: b.rows(), cols: b.cols(), limit: p.f.limit, used: p.f.used, firstRow: b.I0, firstCol: b.J0}
		to = &narrowing[T]{f: block, cols: stride}
	}
	stored := b
	if p.f.opt.Transpose {
		stored = b.turned()
	}
	if err := readStack(p.f, dst, stride, stored, p.f.opt.Transpose, to); err != nil || to == nil {
		return err
	}
	if b.cols() < cols {
		return to.err
	}
	return to.check(func(i int) []T { return dst[i*stride : i*stride+cols] })
}

// SparseBlock reads a block of a sparse matrix in compressed sparse row form, as Sparse
// gives it: columns count from J0. Where ByColumns says so, and else of all columns, it
// takes time and memory for what it returns; else it reads all entries of the rows, or
// of the columns if ByColumns says so. At most it holds 32 bytes per entry of these.
func SparseBlock[T Float](p *Parts, b Block) (ptr []int, idx []int32, val []T, err error) {
	if err := p.checkBlock(b, true); err != nil {
		return nil, nil, nil, err
	}
	stored := b
	if p.f.opt.Transpose {
		stored = b.turned()
	}
	part := &File{path: p.f.path, opt: Options{Transpose: p.f.opt.Transpose}, limit: p.f.limit, used: p.f.used, size: p.f.size,
		rows: stored.rows(), cols: stored.cols(), firstRow: b.I0, firstCol: b.J0}
	e, err := p.f.scipy.block(part, stored)
	if err != nil {
		return nil, nil, nil, err
	}
	return csr[T](part, e)
}
