package matio

import (
	"fmt"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/store"
)

// mapThreshold is the size in bytes from which a .npy file is mapped.
const mapThreshold = 1 << 20

// Dense returns the matrix of f, row by row without gaps: element i, j is data[i*cols+j].
//
// The caller must not change data. A .npy file of 1 MiB or more is mapped if it holds these
// very bytes: element type T, C order (Fortran order if transposed), little endian on a
// little-endian unix machine. A mapping is read-only, and a write to it is a fault. A read of
// bytes that another process has cut off the file is a fault too (see File.Guard). Close
// removes the mapping.
//
// A sparse matrix is expanded if its size is in proportion to its nonzeros. Otherwise, and if
// Options.MaxMemory is not enough, the error wraps ErrTooLarge. If T is float32, the error
// wraps ErrPrecision if all nonzeros of a row, or a negative number, would become zero. Other
// errors wrap ErrFormat or those of the file system. Dense takes time O(rows*cols). It takes
// memory for the result, unless it is mapped, and for a few of its rows or columns.
func Dense[T Float](f *File) (rows, cols int, data []T, err error) {
	rows, cols = f.Dims()
	if f.in.Closed {
		return 0, 0, nil, closedError(f)
	}
	keep := f.in.Scratch()
	if data = shared[T](f); data != nil {
		keep(0)
	} else if data, err = DenseWithin[T](f, Block{I1: rows, J1: cols}); err != nil {
		return 0, 0, nil, err
	}
	return rows, cols, data, nil
}

// DenseWithin returns block b of the matrix of f, row by row without gaps. From a .npy file or
// a folder of them it reads the block alone. Any other file is read to its end, unless Open has
// read it, and only the block is kept. A sparse matrix is expanded within the block if Dense
// would expand the whole. Errors are those of Dense and ReadBlock.
func DenseWithin[T Float](f *File, b Block) (data []T, err error) {
	part, err := f.blockOf(b)
	if err != nil {
		return nil, err
	}
	n, ok := element.Mul(int64(b.Rows()), int64(b.Cols()))
	switch p := f.Parts(); {
	case f.in.Sparse != nil:
		data, err = expand[T](f, part, b)
	case !ok:
		err = f.in.TooLarge("a block of %d x %d", b.Rows(), b.Cols())
	case p != nil:
		if data, err = input.Alloc[T](part, n); err == nil {
			err = ReadBlock(p, data, b.Cols(), b)
		}
	default:
		data, err = fill[T](f, part, b)
	}
	if err != nil {
		return nil, err
	}
	f.in.Used += element.SizeOf[T](int64(len(data)))
	return data, nil
}

// shared returns the elements of f if the file, or the memory into which Open has read it,
// holds them as type T in this order; else nil.
func shared[T Float](f *File) []T {
	if f.holds64() {
		var data []T
		if to, ok := any(&data).(*[]float64); ok {
			*to, _ = f.in.Dense.(*store.Elements).Joined() // nil if that is too large: fill says why
			input.Replace(&f.in.Meaning, data)
			return data
		}
	}
	if f.ByColumn() {
		return nil
	}
	return mapped[T](f)
}

// fill reads all elements of f and returns those of block b, which is part: it counts the memory and names the
// places.
func fill[T Float](f *File, part *input.File, b Block) (data []T, err error) {
	lines, length := f.Dims()
	in, turned := b, f.ByColumn() // the lines that the file delivers are columns
	together, piece := 1, min(length, input.Chunk)
	if turned {
		lines, length, in = length, lines, b.Transposed()
		together, piece = min(lines, max(8, (1<<18)/max(1, length))), length // so that runs of elements are written
	}
	n := int64(b.Rows()) * int64(b.Cols())
	buffer := int64(together) * int64(piece)
	if err := part.Fits(element.Plus(element.SizeOf[T](n), element.SizeOf[float64](buffer)), input.Reading); err != nil {
		return nil, err // rather than inflate the data for nothing
	}
	s, err := f.source()
	if err != nil {
		return nil, err
	}
	if data, err = input.Alloc[T](part, n); err != nil {
		return nil, err
	}
	buf, err := input.Alloc[float64](part, buffer)
	if err != nil {
		return nil, err
	}
	to, width := input.Narrow[T](part, b.Cols()), b.Cols()
	for l := 0; l < lines && length > 0; l += together {
		for e := 0; e < length; e += piece {
			across := min(piece, length-e)
			if err := s.Next(buf[:min(together, lines-l)*across]); err != nil {
				return nil, err
			}
			at := Block{I0: max(l, in.I0), I1: min(l+together, in.I1), J0: max(e, in.J0), J1: min(e+across, in.J1)}
			for j := at.J0; j < at.J1; j++ {
				for i := at.I0; i < at.I1; i++ {
					k := (i-in.I0)*width + j - in.J0
					if turned {
						k = (j-in.J0)*width + i - in.I0
					}
					data[k] = to.Number(buf[(i-l)*across+j-e], k)
				}
			}
		}
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	if _, cols := f.Dims(); width < cols {
		return data, to.Err
	}
	return data, to.Check(func(i int) []T { return data[i*width : (i+1)*width] })
}

// expand returns the dense form of block b of a sparse matrix. part counts the memory.
func expand[T Float](f *File, part *input.File, b Block) ([]T, error) {
	rows, cols := f.Dims()
	n, ok := element.Mul(int64(b.Rows()), int64(b.Cols()))
	check := func(entries int64) error {
		if limit := ExpandLimit(entries); !ok || n > limit {
			return f.in.TooLarge("the sparse matrix of %d x %d with %d nonzeros would have more than %d elements if it were made dense", b.Rows(), b.Cols(), entries, limit)
		}
		return nil
	}
	entries := int64(0)
	if whole := b.Rows() == rows && b.Cols() == cols; whole {
		entries = f.Stored()
		if err := check(entries); err != nil { // before they are read
			return nil, err
		}
		if err := part.Fits(element.Plus(element.SizeOf[T](n), f.entriesSize(element.SizeOf[T](1))), input.Reading); err != nil {
			return nil, err
		}
	}
	keep := f.in.Scratch()
	defer keep(0)
	ptr, idx, val, err := SparseWithin[T](f, b)
	if err != nil {
		return nil, err
	}
	if err := check(max(entries, int64(len(val)))); err != nil {
		return nil, err
	}
	part.Used = f.in.Used
	data, err := input.Alloc[T](part, n)
	if err != nil {
		return nil, err
	}
	for i := range b.Rows() {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			data[i*b.Cols()+int(idx[k])] = val[k]
		}
	}
	return data, nil
}

// blockOf returns an input.File for block b, which counts memory and names places.
func (f *File) blockOf(b Block) (*input.File, error) {
	if f.in.Closed {
		return nil, closedError(f)
	}
	rows, cols := f.Dims()
	return f.in.Block(b), f.within(b, rows, cols)
}

// within returns an error for a block that is none of a rows x cols matrix.
func (f *File) within(b Block, rows, cols int) error {
	if b.Within(rows, cols) {
		return nil
	}
	return fmt.Errorf("%s: block [%d:%d, %d:%d] is outside the %d x %d matrix", f.in.Path, b.I0, b.I1, b.J0, b.J1, rows, cols)
}

// Elements starts reading the elements of a dense matrix, column by column if ByColumn
// says so, else row by row. The Source must be closed.
func (f *File) Elements() (Source, error) {
	switch {
	case f.in.Closed:
		return nil, closedError(f)
	case f.in.Sparse != nil:
		return nil, f.in.Unsupported("the matrix is sparse: its elements are its entries")
	}
	return f.source()
}

// source starts reading what the elements stand for.
func (f *File) source() (Source, error) {
	s, err := f.in.Dense.Open()
	if err == nil && f.in.Meaning.Any() {
		s = replaced{s, &f.in.Meaning}
	}
	return s, err
}

// replaced delivers what numbers stand for.
type replaced struct {
	Source
	by *input.Meaning
}

// Next implements Source.
func (r replaced) Next(dst []float64) error {
	err := r.Source.Next(dst)
	input.Replace(r.by, dst)
	return err
}

// ByColumn says whether Elements goes through the matrix column by column.
func (f *File) ByColumn() bool { return f.in.ByColumns != f.in.Transpose }

// mapped returns a mapping of the elements of f. It returns nil if they have another type or
// order, or if the system does not map the file.
func mapped[T Float](f *File) []T {
	if !mappable[T](f) {
		return nil
	}
	a := f.in.Plain
	if f.mapping == nil {
		m, err := mapFile(f.in.Handle, int(f.in.Size))
		if err != nil {
			return nil // then it is read
		}
		f.mapping = m
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&f.mapping[a.Offset])), a.Len)
}

// mappable says whether the file has the elements of f as they are in memory.
func mappable[T Float](f *File) bool {
	a, size := f.in.Plain, element.SizeOf[T](1)
	return a != nil && a.Reader == nil && !f.in.Meaning.Any() && a.Type == (element.Type{Kind: 'f', Size: int(size)}) && !element.HostBigEndian &&
		a.Len*size >= mapThreshold && a.Offset%size == 0 && int64(int(f.in.Size)) == f.in.Size
}
