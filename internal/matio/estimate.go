package matio

import (
	"math"
	"unsafe"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/store"
)

// DenseSize returns how many bytes Dense allocates for the matrix of f, from the headers of the
// file. It returns 0 if Dense returns a mapping of the file, or the memory into which Open has
// read the matrix.
func DenseSize[T Float](f *File) int64 {
	if Mappable[T](f) || f.holds64() && unsafe.Sizeof(T(0)) == 8 {
		return 0
	}
	return element.SizeOf[T](element.Times(int64(f.in.Rows), int64(f.in.Cols)))
}

// Mappable says whether Dense maps the file, where the system lets it.
func Mappable[T Float](f *File) bool {
	return f.in.Sparse == nil && !f.ByColumn() && mappable[T](f)
}

// holds64 says whether Open has read the matrix as float64, in the requested order.
func (f *File) holds64() bool {
	e, ok := f.in.Dense.(*store.Elements)
	return ok && e.InMemory() && !f.ByColumn()
}

// SparseSize returns upper bounds of the bytes that the result of Sparse takes and of its
// number of entries, from the headers of the file.
func SparseSize[T Float](f *File) (bytes int64, entries int) {
	rows, _ := f.Dims()
	n := f.Stored()
	bytes = element.Plus(element.Times(n, int64(unsafe.Sizeof(int32(0))+unsafe.Sizeof(T(0)))), element.SizeOf[int](int64(rows)+1))
	return bytes, int(min(n, math.MaxInt))
}

// SparsePeak returns an upper bound of the bytes that Sparse takes at any time, with its result: numbers
// that it narrows or sorts are in memory twice.
func SparsePeak[T Float](f *File) int64 {
	rows, _ := f.Dims()
	held, _ := SparseSize[T](f)
	return max(held, element.Plus(f.entriesSize(element.SizeOf[T](1)), element.SizeOf[int](int64(rows)+1)))
}
