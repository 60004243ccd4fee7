package matio

import (
	"fmt"
	"os"
	"slices"
	"unsafe"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/folder"
	"nmu/internal/matio/internal/hdf5"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/npy"
	"nmu/internal/matio/internal/output"
)

// Parts is an open matrix that is read by blocks of rows and columns. It is a .npy or HDF5
// file, a folder of .npy files of equal width, stacked in the order of their names, or a folder
// with a sparse matrix. It must be closed. Blocks may be read concurrently.
type Parts struct {
	f           *File
	entries     int64 // of a sparse matrix, as its pointers say
	*chosenRows       // nil: all rows and columns
}

// OpenParts opens the matrix in path without reading its numbers. It uses Options.Transpose,
// Var, Codes and Negative; other options have no effect. If the file is of another
// type, the error wraps ErrUnsupported. Other errors are those of Open.
func OpenParts(path string, opt Options) (*Parts, error) {
	f, err := openWith(path, opt, (*File).openPartsFolder, (*File).openPartsFile)
	if err != nil {
		return nil, err
	}
	p := &Parts{f: f}
	if f.rows != nil {
		if _, err = f.rows.Pointer(f.in, 0); err == nil {
			p.entries, err = f.rows.Pointer(f.in, f.in.Rows)
		}
		if err != nil {
			f.Close()
			return nil, err
		}
	}
	return p, nil
}

// openPartsFolder opens a folder for reading by blocks.
func (f *File) openPartsFolder() error {
	names, err := folder.Names(f.in)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return f.in.Unsupported("the folder holds no .npy file: only .npy files can be read in parts; nmu convert writes them")
	}
	return f.openNpyFolder(names)
}

// openPartsFile opens a file for reading by blocks.
func (f *File) openPartsFile() error {
	head, err := f.head()
	if err != nil {
		return err
	}
	switch {
	case hdf5.Is(head) && hdf5.Available:
		err = f.openHDF5()
	case begins(npy.Magic)(content{head: head}):
		err = npy.Open(f.in)
	default:
		err = f.in.Unsupported("only .npy files and folders of them can be read in parts; nmu convert makes one")
	}
	if err == nil && f.rows == nil && f.Parts() == nil {
		err = f.in.Unsupported("a cube or a sparse matrix stored by columns cannot be read in parts; nmu convert writes a file that can")
	}
	return err
}

// Parts returns the matrix of f for reading by blocks, or nil if its file does not allow that.
// Closing f closes the Parts.
func (f *File) Parts() *Parts {
	if a := f.in.Plain; a != nil && a.Dims > 0 && f.stack == nil {
		f.stack = folder.Of(f.in)
	}
	if f.stack == nil || f.in.Closed {
		return nil
	}
	return &Parts{f: f}
}

// PartsOf returns a rows x cols matrix stored in a file without a header, column by column or
// row by row. The elements are little endian, float32 if single, else float64. Closing the
// Parts closes the file.
func PartsOf(file *os.File, rows, cols int, single, byColumns bool) *Parts {
	dt := element.Type{Kind: 'f', Size: 8}
	if single {
		dt.Size = 4
	}
	in := &input.File{Path: file.Name(), Handle: file, Rows: rows, Cols: cols, ByColumns: byColumns}
	in.Plain = &input.Array{File: in, Type: dt, Len: int64(rows) * int64(cols)}
	in.Size = in.Plain.Len * int64(dt.Size)
	return &Parts{f: &File{in: in, stack: folder.Of(in)}}
}

// Dims returns the size of the matrix.
func (p *Parts) Dims() (rows, cols int) {
	if p.chosenRows != nil {
		return len(p.rows), p.cols
	}
	return p.f.Dims()
}

// Sparse says whether the matrix is stored as a sparse one.
func (p *Parts) Sparse() bool { return p.f.rows != nil }

// Entries returns the number of stored entries of a sparse matrix, or 0 for a dense one. Zeros
// and repeated entries count.
func (p *Parts) Entries() int64 {
	return p.entries
}

// Pointers returns the row pointers of rows i0 to i1-1 of a sparse matrix, i1-i0+1 numbers.
// They count stored entries from the first of the matrix, with zeros and repeated entries. If
// the matrix is stored by columns, the error wraps ErrUnsupported.
func (p *Parts) Pointers(i0, i1 int) ([]int, error) {
	_, cols := p.Dims()
	b := Block{I0: i0, I1: i1, J1: cols}
	switch err := p.checkBlock(b, true); {
	case err != nil:
		return nil, err
	case p.ByColumns():
		return nil, p.f.in.Unsupported("the sparse matrix is stored by columns, so it has no row pointers")
	case p.chosenRows != nil:
		return slices.Clone(p.ptr[i0 : i1+1]), nil
	}
	return p.f.rows.Pointers(p.f.in.Block(b), i0, i1)
}

// ByColumns says whether the file stores the matrix column by column. If so, blocks of whole
// columns are read fastest, else blocks of whole rows.
func (p *Parts) ByColumns() bool {
	lie := p.f.stack != nil && p.f.stack.ByColumns()
	return lie != p.f.in.Transpose
}

// Float32 says whether float32 holds every number of the matrix as it is stored.
func (p *Parts) Float32() bool {
	if p.Sparse() {
		return p.f.in.Sparse.Single
	}
	return p.f.stack.Single()
}

// Bytes returns the size of the files.
func (p *Parts) Bytes() int64 { return p.f.in.Size }

// Close closes the files.
func (p *Parts) Close() error { return p.f.Close() }

// checkBlock returns an error for a block that is none of the matrix.
func (p *Parts) checkBlock(b Block, sparse bool) error {
	switch {
	case p.f.in.Closed:
		return closedError(p.f)
	case sparse && !p.Sparse():
		return fmt.Errorf("%s: the matrix is dense: %w", p.f.in.Path, ErrNotSparse)
	case !sparse && p.Sparse():
		return p.f.in.Unsupported("the matrix is sparse: its blocks cannot be read as dense ones")
	}
	rows, cols := p.Dims()
	return p.f.within(b, rows, cols)
}

// ReadBlock reads a block of a dense matrix: entry i, j of the block becomes dst[i*stride+j].
// Elements of dst between the rows of the block are unchanged.
//
// If the file has the element type T, the byte order of this machine and the line order of dst,
// nothing is copied or allocated. If the file was cut short meanwhile, the error wraps
// ErrFormat. If T is float32, float64 numbers are rounded. The error wraps ErrPrecision if a
// negative number becomes zero, or if all nonzeros of a row do, in a block of whole rows.
func ReadBlock[T Float](p *Parts, dst []T, stride int, b Block) error {
	if err := p.checkBlock(b, false); err != nil {
		return err
	}
	if b.Rows() == 0 || b.Cols() == 0 {
		return nil
	}
	if err := output.CheckStride(b.Rows(), b.Cols(), len(dst), stride); err != nil {
		return fmt.Errorf("%s: %w", p.f.in.Path, err)
	}
	_, cols := p.Dims()
	var to *input.Narrowing[T]
	if unsafe.Sizeof(dst[0]) == 4 && !p.Float32() {
		to = input.Narrow[T](p.f.in.Block(b), stride)
	}
	stored := b
	if p.f.in.Transpose {
		stored = b.Transposed()
	}
	if err := folder.ReadBlock(p.f.stack, dst, stride, stored, p.f.in.Transpose, to); err != nil {
		return err
	}
	for i := range b.Rows() {
		input.Replace(&p.f.in.Meaning, dst[i*stride:][:b.Cols()])
	}
	if to == nil {
		return nil
	}
	if b.Cols() < cols {
		return to.Err
	}
	return to.Check(func(i int) []T { return dst[i*stride : i*stride+cols] })
}

// SparseBlock reads a block of a sparse matrix in compressed sparse row form, as Sparse returns
// it. Column indices count from J0. If the matrix is stored by rows, SparseBlock reads all
// entries of the rows of b; if ByColumns, all entries of its columns. It holds at most 32 bytes
// per entry read.
func SparseBlock[T Float](p *Parts, b Block) (ptr []int, idx []int32, val []T, err error) {
	if err := p.checkBlock(b, true); err != nil {
		return nil, nil, nil, err
	}
	if p.chosenRows != nil {
		return chosenBlock[T](p, b)
	}
	stored := b
	if p.f.in.Transpose {
		stored = b.Transposed()
	}
	part := p.f.in.Block(stored)
	part.Transpose, part.FirstRow, part.FirstCol, part.Meaning = p.f.in.Transpose, b.I0, b.J0, p.f.in.Meaning
	e, err := p.f.rows.Block(part, stored)
	if err != nil {
		return nil, nil, nil, err
	}
	return csr.Of[T](part, e)
}
