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
	n, ok := mul(int64(f.in.rows), int64(f.in.cols))
	if !ok {
		return math.MaxInt64
	}
	return sizeOf[T](n)
}

// Mappable says whether Dense maps the file, where the system lets it.
func Mappable[T Float](f *File) bool {
	return f.in.entries == nil && f.in.colMajor == f.in.transpose && mappable[T](f)
}

// holds64 says whether Open has read the matrix in the order that is asked for, as
// float64.
func (f *File) holds64() bool {
	v, ok := f.in.data.(values)
	return ok && len(v) > 0 && f.in.entries == nil && f.in.colMajor == f.in.transpose
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
	sorted := f.ByRow()
	switch f.in.entries.order() {
	case oneByOne:
		each += index
	case heldByNow:
		each = 0
	case atOnce:
		sorted = f.in.transpose
	}
	if !sorted {
		each += index + number
	}
	if element != number {
		each += element
	}
	return times(f.Stored(), each)
}
