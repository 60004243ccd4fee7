package matio

import (
	"fmt"

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
// + rows) if the entries of each row are in order, else there is a factor of the number of digits of a column. Memory
// is at most about 32 bytes per stored entry and 16 per row.
func Sparse[T Float](f *File) (rows, cols int, ptr []int, idx []int32, val []T, err error) {
	switch {
	case f.in.Closed:
		err = closedError(f)
	case f.in.Sparse == nil:
		err = fmt.Errorf("%s: the file holds a dense matrix: %w", f.in.Path, ErrNotSparse)
	}
	if err != nil {
		return 0, 0, nil, nil, nil, err
	}
	keep := f.in.Scratch()
	var e input.Entries
	if err = f.in.Fits(f.entriesSize(element.SizeOf[T](1)), input.Reading); err == nil {
		e, err = f.in.Sparse.Entries()
	}
	if err == nil {
		ptr, idx, val, err = csr.Of[T](f.in, e)
	}
	if err != nil {
		keep(0)
		return 0, 0, nil, nil, nil, err
	}
	keep(element.SizeOf[int](int64(cap(ptr))) + element.SizeOf[int32](int64(cap(idx))) + element.SizeOf[T](int64(cap(val))))
	rows, cols = f.Dims()
	return rows, cols, ptr, idx, val, nil
}
