package kernel

import (
	"fmt"
	"math"
	mathbits "math/bits"
	"unsafe"
)

// Float is the set of element types of every kernel.
type Float interface{ float32 | float64 }

// Matrix is a dense row-major matrix: entry (i, j) is Data[i*Stride+j]. The
// order of the fields is that of gonum's blas64.General and blas32.General.
// A Matrix is a view: copying it does not copy Data.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// Alignment is the number of bytes to which NewMatrix aligns its rows: a cache
// line, and the widest vector register.
const Alignment = 64

// NewMatrix returns a zero matrix whose rows start at multiples of Alignment
// bytes, on which the kernels run fastest. Its Stride is therefore often larger
// than cols. It panics if rows or cols is negative or the size overflows.
func NewMatrix[T Float](rows, cols int) Matrix[T] {
	var zero T
	per, stride := Alignment/int(unsafe.Sizeof(zero)), Stride[T](rows, cols)
	if rows < 0 || cols < 0 || stride < cols || (stride > 0 && rows > (math.MaxInt-per)/stride/int(unsafe.Sizeof(zero))) {
		panic(fmt.Sprintf("kernel: no matrix of %d x %d", rows, cols))
	}
	data := make([]T, rows*stride+per)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%Alignment) / int(unsafe.Sizeof(zero))
	return Matrix[T]{Rows: rows, Cols: cols, Data: data[skip : skip+rows*stride : skip+rows*stride], Stride: stride}
}

// Stride returns the Stride of a matrix of NewMatrix.
func Stride[T Float](rows, cols int) int {
	size := int(unsafe.Sizeof(T(0)))
	per := Alignment / size
	stride := (cols + per - 1) / per * per
	if stride*size%aliasBytes == 0 && stride > 0 && rows > 1 {
		stride += per
	}
	return stride
}

// Aligned reports whether the rows of m start at multiples of Alignment bytes and do
// not compete for the same few cache sets, as those of NewMatrix.
func (m Matrix[T]) Aligned() bool {
	stride := uintptr(m.Stride) * unsafe.Sizeof(*new(T))
	return uintptr(unsafe.Pointer(unsafe.SliceData(m.Data)))%Alignment == 0 &&
		(m.Rows <= 1 || stride%Alignment == 0 && stride%aliasBytes != 0)
}

// aliasBytes is the stride at which the rows of a matrix begin to compete for
// the same few cache sets; NewMatrix avoids its multiples.
const aliasBytes = 1024

// Row returns row i, of length m.Cols, without copying. It panics if the matrix
// has no such row, unless its rows are empty.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	over, at := mathbits.Mul(uint(i), uint(m.Stride))
	if uint(i) >= uint(m.Rows) || over != 0 {
		at = math.MaxUint // which no slice has: a call to panic here would keep Row from being inlined
	}
	return m.Data[at : at+uint(m.Cols) : at+uint(m.Cols)]
}

// Dims returns the number of rows and columns.
func (m Matrix[T]) Dims() (rows, cols int) { return m.Rows, m.Cols }

// At returns entry (i, j). It panics if it lies outside Data.
func (m Matrix[T]) At(i, j int) T { return m.Data[i*m.Stride+j] }

// Slice returns the view of rows [i0, i1) and columns [j0, j1). It panics if the
// matrix has no such rows and columns, or does not lie in its Data.
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	check("what is sliced", m, m.Rows, m.Cols)
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		panic(fmt.Sprintf("kernel: slice [%d:%d, %d:%d] of a %d x %d matrix", i0, i1, j0, j1, m.Rows, m.Cols))
	}
	if i0 == i1 || j0 == j1 {
		return Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	}
	from, to := i0*m.Stride+j0, (i1-1)*m.Stride+j1
	return Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Data: m.Data[from:to:to], Stride: m.Stride}
}

// check panics unless m is rows x cols and its Data holds all of it, whatever
// numbers m and its neighbours claim: the sizes of an overflowing product are
// none. What has passed check has no index that overflows, in bytes either, as
// it is one of elements that exist.
func check[T Float](name string, m Matrix[T], rows, cols int) {
	checkExtents(name, m.Rows, m.Cols, m.Stride, len(m.Data), rows, cols, cols)
}

// checkExtents is check for a matrix with these extents and this many elements, of which a row takes width.
func checkExtents(name string, isRows, isCols, stride, elements, rows, cols, width int) {
	if isRows != rows || isCols != cols {
		panic(fmt.Sprintf("kernel: %s is %d x %d, want %d x %d", name, isRows, isCols, rows, cols))
	}
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("kernel: %s is %d x %d", name, rows, cols))
	}
	if rows == 0 || cols == 0 {
		return
	}
	over, last := mathbits.Mul(uint(rows-1), uint(stride))
	if stride < width || elements < width || over != 0 || last > uint(elements-width) {
		panic(fmt.Sprintf("kernel: %s is %d x %d but has stride %d and %d elements", name, rows, cols, stride, elements))
	}
}

// checkLen panics unless x has n elements.
func checkLen[T Float](name string, x []T, n int) {
	if len(x) != n {
		wrongLen(name, len(x), n)
	}
}

// wrongLen is apart from checkLen so that this and its callers are inlined.
//
//go:noinline
func wrongLen(name string, is, want int) {
	panic(fmt.Sprintf("kernel: %s has %d elements, want %d", name, is, want))
}

// reads checks a matrix that a kernel reads, and tells the race detector. It calls checkExtents, not check, so that
// the compiler inlines reads and writes: three calls more are an eighth of an update of 16 x 64 entries.
func reads[T Float](name string, m Matrix[T], rows, cols int) {
	checkExtents(name, m.Rows, m.Cols, m.Stride, len(m.Data), rows, cols, cols)
	raceMatrix(m, false)
}

// writes is reads for a matrix that a kernel writes.
func writes[T Float](name string, m Matrix[T], rows, cols int) {
	checkExtents(name, m.Rows, m.Cols, m.Stride, len(m.Data), rows, cols, cols)
	raceMatrix(m, true)
}

// readsLen is reads for a vector of n elements.
func readsLen[T Float](name string, x []T, n int) {
	if len(x) != n {
		wrongLen(name, len(x), n)
	}
	race(x, false)
}

// writesLen is writes for a vector of n elements.
func writesLen[T Float](name string, x []T, n int) {
	if len(x) != n {
		wrongLen(name, len(x), n)
	}
	race(x, true)
}

// race tells the race detector of elements that a kernel writes, or only reads.
func race[E any](x []E, written bool) {
	if racing && len(x) > 0 {
		raceRange(unsafe.Pointer(&x[0]), len(x)*int(unsafe.Sizeof(x[0])), written)
	}
}

// raceMatrix is race for a matrix.
func raceMatrix[T Float](m Matrix[T], written bool) {
	if racing {
		for i := range m.Rows {
			race(m.Row(i), written)
		}
	}
}
