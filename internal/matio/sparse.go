package matio

import (
	"fmt"
	"math"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// Sparse returns the matrix of f in compressed sparse row form: the entries of
// row i are val[ptr[i]:ptr[i+1]] in the columns idx[ptr[i]:ptr[i+1]], which
// increase strictly. Entries of one place are added, in the order of the file
// and in float64, and zeros are dropped. NaN stays.
//
// If f is dense, the error wraps ErrNotSparse. If the matrix has more than 2^31-1 columns, or
// too many empty rows for the size of the file, the error wraps ErrTooLarge. Time is O(nonzeros
// + rows) if the entries of each row are in order, else their sort adds O(n log² n) for a row of n
// entries. Memory is at most about 32 bytes per stored entry and 16 per row.
func Sparse[T Float](f *File) (rows, cols int, ptr []int, idx []int32, val []T, err error) {
	rows, cols = f.Dims()
	if ptr, idx, val, err = SparseWithin[T](f, Block{I1: rows, J1: cols}); err != nil {
		return 0, 0, nil, nil, nil, err
	}
	return rows, cols, ptr, idx, val, nil
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
	if f.in.Sparse == nil {
		return nil, nil, nil, fmt.Errorf("%s: the file holds a dense matrix: %w", f.in.Path, ErrNotSparse)
	}
	keep, kept := f.in.Scratch(), int64(0)
	rows, cols := f.Dims()
	var e input.Entries
	switch {
	case b.Rows() == rows && b.Cols() == cols:
		if err = f.in.Fits(f.entriesSize(element.SizeOf[T](1)), input.Reading); err == nil {
			e, err = f.in.Sparse.Entries()
		}
		if err == nil {
			ptr, idx, val, err = csr.Of[T](f.in, e)
		}
	case f.rows != nil:
		ptr, idx, val, err = SparseBlock[T](&Parts{f: f}, b)
	default:
		e.ByRow = true
		err = Entries(f, func(i, j int32, v float64) error {
			if int(i) < b.I0 || int(i) >= b.I1 || int(j) < b.J0 || int(j) >= b.J1 {
				return nil
			}
			return e.Add(part, i-int32(b.I0), j-int32(b.J0), v, input.Chunk, math.MaxInt64)
		})
		if err == nil {
			ptr, idx, val, err = csr.Of[T](part, e)
		}
	}
	if err == nil {
		kept = element.SizeOf[int](int64(cap(ptr))) + element.SizeOf[int32](int64(cap(idx))) + element.SizeOf[T](int64(cap(val)))
	}
	keep(kept)
	return ptr, idx, val, err
}
