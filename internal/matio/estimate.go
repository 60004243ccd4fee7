package matio

import (
	"math"
	"unsafe"
)

// DenseSize returns how many bytes Dense allocates for the matrix of f, as the headers of
// the file say: 0 where it returns the file itself, or the memory into which Open has read
// the matrix.
func DenseSize[T Float](f *File) int64 {
	if Mappable[T](f) || f.holds64() && unsafe.Sizeof(T(0)) == 8 {
		return 0
	}
	n, ok := mul(int64(f.rows), int64(f.cols))
	if !ok {
		return math.MaxInt64
	}
	return sizeOf[T](n)
}

// Mappable says whether Dense maps the file, where the system lets it.
func Mappable[T Float](f *File) bool {
	return f.entries == nil && f.colMajor == f.opt.Transpose && mappable[T](f)
}

// holds64 says whether Open has read the matrix in the order that is asked for, as
// float64.
func (f *File) holds64() bool {
	v, ok := f.data.(values)
	return ok && len(v) > 0 && f.entries == nil && f.colMajor == f.opt.Transpose
}

// SparseSize returns upper bounds of the bytes that the result of Sparse takes and of its
// entries, as the headers of the file say.
func SparseSize[T Float](f *File) (bytes int64, entries int) {
	rows, _ := f.Dims()
	n := f.Stored()
	bytes = plus(times(n, int64(unsafe.Sizeof(int32(0))+unsafe.Sizeof(T(0)))), sizeOf[int](int64(rows)+1))
	return bytes, int(min(n, math.MaxInt))
}

// entriesSize returns how many bytes the arrays take into which Sparse reads the entries
// of f, and those of its sorting, for elements of so many bytes.
func (f *File) entriesSize(element int64) int64 {
	const index, number = 4, 8
	each := int64(index + number) // bytes of an entry
	byRow := f.ByRow()
	switch {
	case f.scipy != nil && f.scipy.format == "coo":
		each += index
	case f.read != nil:
		each = 0
	case f.scipy == nil: // the columns of a .mat file
		byRow = f.opt.Transpose
	}
	if !byRow {
		each += index + number
	}
	if element != number {
		each += element
	}
	return times(f.Stored(), each)
}

// plus returns a+b for a, b >= 0, at most math.MaxInt64.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times returns a*b for a, b >= 0, at most math.MaxInt64.
func times(a, b int64) int64 {
	if p, ok := mul(a, b); ok {
		return p
	}
	return math.MaxInt64
}
