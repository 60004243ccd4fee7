package kernel

import (
	"fmt"
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
	per := Alignment / int(unsafe.Sizeof(zero))
	stride := (cols + per - 1) / per * per
	if stride*int(unsafe.Sizeof(zero))%aliasBytes == 0 && rows > 1 {
		stride += per
	}
	if rows < 0 || cols < 0 || stride < cols || (stride > 0 && rows > (maxInt-per)/stride/int(unsafe.Sizeof(zero))) {
		panic(fmt.Sprintf("kernel: no matrix of %d x %d", rows, cols))
	}
	data := make([]T, rows*stride+per)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%Alignment) / int(unsafe.Sizeof(zero))
	return Matrix[T]{Rows: rows, Cols: cols, Data: data[skip : skip+rows*stride : skip+rows*stride], Stride: stride}
}

// sizeOf returns the size of an element in bytes.
func sizeOf[T Float]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// aliasBytes is the stride at which the rows of a matrix begin to compete for
// the same few cache sets; NewMatrix avoids its multiples.
const aliasBytes = 1024

const maxInt = int(^uint(0) >> 1)

// Row returns row i, of length m.Cols, without copying.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 {
		return nil
	}
	at := i * m.Stride
	return m.Data[at : at+m.Cols : at+m.Cols]
}

// Slice returns the view of rows [i0, i1) and columns [j0, j1).
func (m Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > m.Rows || j0 < 0 || j1 < j0 || j1 > m.Cols {
		panic(fmt.Sprintf("kernel: slice [%d:%d, %d:%d] of a %d x %d matrix", i0, i1, j0, j1, m.Rows, m.Cols))
	}
	if i0 == i1 || j0 == j1 {
		return Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Stride: m.Stride}
	}
	return Matrix[T]{Rows: i1 - i0, Cols: j1 - j0, Data: m.Data[i0*m.Stride+j0 : (i1-1)*m.Stride+j1], Stride: m.Stride}
}

// check panics unless m is rows x cols and its Data holds all of it.
func check[T Float](name string, m Matrix[T], rows, cols int) {
	if m.Rows != rows || m.Cols != cols {
		panic(fmt.Sprintf("kernel: %s is %d x %d, want %d x %d", name, m.Rows, m.Cols, rows, cols))
	}
	if rows == 0 || cols == 0 {
		return
	}
	if m.Stride < cols || len(m.Data) < (rows-1)*m.Stride+cols {
		panic(fmt.Sprintf("kernel: %s is %d x %d but has stride %d and %d elements", name, rows, cols, m.Stride, len(m.Data)))
	}
}

// checkLen panics unless x has n elements.
func checkLen[T Float](name string, x []T, n int) {
	if len(x) != n {
		panic(fmt.Sprintf("kernel: %s has %d elements, want %d", name, len(x), n))
	}
}
