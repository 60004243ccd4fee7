package matio

import (
	"fmt"
)

// Sparse returns the matrix of f in compressed sparse row form: the entries of
// row i are val[ptr[i]:ptr[i+1]] in the columns idx[ptr[i]:ptr[i+1]], which
// increase strictly. Entries of one place are added, in the order of the file
// and in float64, and zeros are dropped. NaN stays.
//
// Where f is dense the error wraps ErrNotSparse. A matrix of more than 2^31-1
// columns, or of so many empty rows that they are out of proportion to the
// file, is ErrTooLarge. Time is O(nonzeros + rows) where the entries of each row
// are in order, with a logarithmic factor where they are not; memory is at most
// about 32 bytes per stored entry and 16 per row.
func Sparse[T Float](f *File) (rows, cols int, ptr []int, idx []int32, val []T, err error) {
	switch {
	case f.in.closed:
		err = closedError(f)
	case f.in.entries == nil:
		err = fmt.Errorf("%s: the file holds a dense matrix: %w", f.in.path, ErrNotSparse)
	}
	if err != nil {
		return 0, 0, nil, nil, nil, err
	}
	keep := f.in.scratch()
	var e entries
	if err = f.in.Fits(f.entriesSize(sizeOf[T](1)), reading); err == nil {
		e, err = f.in.entries.entries()
	}
	if err == nil {
		ptr, idx, val, err = csr[T](f.in, e)
	}
	if err != nil {
		keep(0)
		return 0, 0, nil, nil, nil, err
	}
	keep(sizeOf[int](int64(cap(ptr))) + sizeOf[int32](int64(cap(idx))) + sizeOf[T](int64(cap(val))))
	rows, cols = f.Dims()
	return rows, cols, ptr, idx, val, nil
}
