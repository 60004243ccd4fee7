package matio

import (
	"fmt"
	"math"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// DenseWithin returns block b of the matrix of f, row by row without gaps. From a .npy file or
// a folder of them it reads the block alone. Any other file is read to its end, unless Open has
// read it, and only the block is kept. A sparse matrix is expanded within the block if Dense
// would expand the whole. Errors are those of Dense and ReadBlock.
func DenseWithin[T Float](f *File, b Block) (data []T, err error) {
	part, err := f.blockOf(b)
	if err != nil {
		return nil, err
	}
	if f.in.Sparse != nil {
		return expandWithin[T](f, part, b)
	}
	if data, err = input.Alloc[T](part, int64(b.Rows())*int64(b.Cols())); err != nil {
		return nil, err
	}
	if p := f.Parts(); p != nil {
		err = ReadBlock(p, data, b.Cols(), b)
	} else {
		err = filter(f, part, b, data)
	}
	if err != nil {
		return nil, err
	}
	f.in.Used = part.Used
	return data, nil
}

// SparseWithin returns block b of the matrix of f in compressed sparse row form, as Sparse
// returns it. Column indices count from J0. From a folder with a sparse matrix it reads the
// block alone. Any other file is read to its end, unless Open has read it, and only the block
// is kept. Errors are those of Sparse.
func SparseWithin[T Float](f *File, b Block) (ptr []int, idx []int32, val []T, err error) {
	part, err := f.blockOf(b)
	if err != nil {
		return nil, nil, nil, err
	}
	if f.rows != nil {
		ptr, idx, val, err = SparseBlock[T](&Parts{f: f}, b)
	} else {
		ptr, idx, val, err = selected[T](f, part, b)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	f.in.Used += element.SizeOf[int](int64(cap(ptr))) + element.SizeOf[int32](int64(cap(idx))) + element.SizeOf[T](int64(cap(val)))
	return ptr, idx, val, nil
}

// selected reads all entries of f and keeps those of block b. part counts the memory and names
// the places.
func selected[T Float](f *File, part *input.File, b Block) (ptr []int, idx []int32, val []T, err error) {
	var e input.Entries
	err = Entries(f, func(i, j int32, v float64) error {
		if int(i) < b.I0 || int(i) >= b.I1 || int(j) < b.J0 || int(j) >= b.J1 {
			return nil
		}
		return e.Add(part, i-int32(b.I0), j-int32(b.J0), v, input.Chunk, math.MaxInt64)
	})
	if err != nil {
		return nil, nil, nil, err
	}
	e.ByRow = true
	return csr.Of[T](part, e)
}

// blockOf returns an input.File for block b, which counts memory and names places.
func (f *File) blockOf(b Block) (*input.File, error) {
	rows, cols := f.Dims()
	switch {
	case f.in.Closed:
		return nil, closedError(f)
	case !b.Within(rows, cols):
		return nil, fmt.Errorf("%s: block [%d:%d, %d:%d] is outside the %d x %d matrix", f.in.Path, b.I0, b.I1, b.J0, b.J1, rows, cols)
	}
	return f.in.Block(b), nil
}

// filter reads all elements of f and keeps those of block b. part counts the memory and names
// the places.
func filter[T Float](f *File, part *input.File, b Block, data []T) error {
	r, err := f.Elements()
	if err != nil {
		return err
	}
	rows, cols := f.Dims()
	to, width := input.Narrow[T](part), b.Cols()
	keep := func(i, j int, v float64) {
		if i >= b.I0 && i < b.I1 && j >= b.J0 && j < b.J1 {
			at := (i-b.I0)*width + j - b.J0
			data[at] = to.Number(v, at)
		}
	}
	var buf [input.Chunk]float64
	lines, length := rows, cols
	if f.ByColumn() {
		lines, length = cols, rows
	}
	for line := 0; line < lines && err == nil; line++ {
		for first := 0; first < length && err == nil; first += input.Chunk {
			x := buf[:min(input.Chunk, length-first)]
			if err = r.Next(x); err != nil {
				break
			}
			for k, v := range x {
				if f.ByColumn() {
					keep(first+k, line, v)
				} else {
					keep(line, first+k, v)
				}
			}
		}
	}
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if width < cols {
		return to.Err
	}
	return to.Check(func(i int) []T { return data[i*width : (i+1)*width] })
}

// expandWithin returns the dense form of block b of a sparse matrix. part counts the memory and
// names the places.
func expandWithin[T Float](f *File, part *input.File, b Block) ([]T, error) {
	ptr, idx, val, err := SparseWithin[T](f, b)
	if err != nil {
		return nil, err
	}
	n := int64(b.Rows()) * int64(b.Cols())
	if limit := ExpandLimit(int64(len(val))); n > limit {
		return nil, f.in.TooLarge("the sparse block of %d x %d with %d nonzeros would have more than %d elements if it were made dense", b.Rows(), b.Cols(), len(val), limit)
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
	f.in.Used = part.Used
	return data, nil
}
