package main

// #include "call.h"
import "C"

import (
	"math"
	"unsafe"

	"nmu/lnmu"
)

// element is the type of an entry of a matrix of the caller: of a mask a byte.
type element interface{ lnmu.Float | uint8 }

// view is a matrix of the caller, with strides of any sign.
type view[T element] struct {
	name                 string
	rows, cols           int
	rowStride, colStride int
	first                *T // entry (0, 0)
}

// Dims implements lnmu.Matrix.
func (v view[T]) Dims() (rows, cols int) { return v.rows, v.cols }

// At implements lnmu.Matrix.
func (v view[T]) At(i, j int) T { return *v.entry(i, j) }

func (v view[T]) entry(i, j int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(v.first), (i*v.rowStride+j*v.colStride)*int(unsafe.Sizeof(*v.first))))
}

// typeOf returns the type of T in nmu.h, and its name.
func typeOf[T element]() (of C.int64_t, name string) {
	switch any(T(0)).(type) {
	case float32:
		return C.NMU_FLOAT32, "NMU_FLOAT32"
	case uint8:
		return C.NMU_UINT8, "NMU_UINT8"
	}
	return C.NMU_FLOAT64, "NMU_FLOAT64"
}

// viewOf returns a matrix of the caller, of which all that can be known without
// looking at its entries has been checked.
func viewOf[T element](name string, given *C.nmu_matrix) view[T] {
	if given == nil {
		refuse(errArgument, "%s is NULL", name)
	}
	m := take(name, given)
	if of, word := typeOf[T](); m._type != of {
		refuse(errArgument, "%s has the type %d; it must be %s, %d", name, int64(m._type), word, int64(of))
	}
	checkLayout(name, m, unsafe.Sizeof(T(0)))
	v := view[T]{
		name: name, rows: int(m.rows), cols: int(m.cols), first: (*T)(m.data),
		rowStride: int(m.row_stride), colStride: int(m.col_stride),
	}
	// Where there is one row or one column, its stride may be anything.
	if v.cols == 1 {
		v.colStride = 1
	}
	if v.rows == 1 {
		v.rowStride = v.cols * max(v.colStride, 1)
	}
	return v
}

// addressSpace is the number of bytes that an array can have: 48 bits of address, the
// most that Go uses, or as many as an int counts.
const addressSpace = min(1<<48, math.MaxInt)

// checkLayout checks where a matrix of elements of so many bytes lies.
func checkLayout(name string, m C.nmu_matrix, size uintptr) {
	switch {
	case m.rows < 1 || m.cols < 1:
		refuse(lnmu.ErrShape, "%s has %d rows and %d columns", name, int64(m.rows), int64(m.cols))
	case m.data == nil:
		refuse(errArgument, "the data of %s are NULL", name)
	case uintptr(m.data)%size != 0:
		refuse(errArgument, "the data of %s do not lie at a multiple of %d bytes", name, size)
	}
	l := layout{int64(m.rows), int64(m.cols), int64(m.row_stride), int64(m.col_stride)}
	if !l.fits(addressSpace, uint64(uintptr(m.data)), uint64(size)) {
		refuse(lnmu.ErrShape, "%s is %d x %d with strides %d and %d, and reaches beyond the address space", name, l.rows, l.cols, l.down, l.across)
	}
}

// matrixOf returns the view as lnmu reads it fastest: where it lies, if the strides are
// not negative.
func matrixOf[T lnmu.Float](v view[T]) lnmu.Matrix[T] {
	if v.rowStride < 0 || v.colStride < 0 {
		return v
	}
	last := (v.rows-1)*v.rowStride + (v.cols-1)*v.colStride
	return lnmu.Strided[T]{Rows: v.rows, Cols: v.cols, Data: unsafe.Slice(v.first, last+1), RowStride: v.rowStride, ColStride: v.colStride}
}

// denseOf returns a matrix by rows: itself, if it lies so, else a copy. It is a zero Dense without a
// matrix.
func denseOf[T lnmu.Float](m lnmu.Matrix[T]) lnmu.Dense[T] {
	switch x := m.(type) {
	case nil:
		return lnmu.Dense[T]{}
	case lnmu.Dense[T]:
		return x
	case view[T]:
		if x.rowStride >= 0 && x.colStride >= 0 {
			return denseOf(matrixOf(x))
		}
	case lnmu.Strided[T]:
		if x.ColStride == 1 && x.RowStride >= x.Cols {
			return lnmu.Dense[T]{Rows: x.Rows, Cols: x.Cols, Data: x.Data, Stride: x.RowStride}
		}
	}
	rows, cols := m.Dims()
	d := lnmu.NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = m.At(i, j)
		}
	}
	return d
}

// set writes d, and zeros where it has fewer rows or columns.
func set[T lnmu.Float](v view[T], d lnmu.Dense[T]) {
	for i := range v.rows {
		for j := range v.cols {
			var x T
			if i < d.Rows && j < d.Cols {
				x = d.Data[i*d.Stride+j]
			}
			*v.entry(i, j) = x
		}
	}
}

// writable refuses the view unless each entry has a place of its own.
func (v view[T]) writable() {
	near, far := max(v.rowStride, -v.rowStride), max(v.colStride, -v.colStride)
	nearCount, farCount := v.rows, v.cols
	if farCount == 1 || nearCount > 1 && near > far {
		near, far, nearCount, farCount = far, near, farCount, nearCount
	}
	if nearCount > 1 && near == 0 || farCount > 1 && far <= (nearCount-1)*near {
		refuse(lnmu.ErrShape, "entries of %s (%d x %d, strides %d and %d) share their places, where results are to be written",
			v.name, v.rows, v.cols, v.rowStride, v.colStride)
	}
}

// resultOf returns a matrix of the caller into which a result is written.
func resultOf[T lnmu.Float](name string, given *C.nmu_matrix) view[T] {
	v := viewOf[T](name, given)
	v.writable()
	return v
}

// factors returns V and W for M, with the rows and columns that are left out.
func (w job[T]) factors(c *call) (view[T], view[T]) {
	rows, cols := w.File.Dims()
	return factorsOf[T](c, rows, cols)
}

// factorsOf returns V and W for a matrix of this size.
func factorsOf[T lnmu.Float](c *call, rows, cols int) (v, w view[T]) {
	v, w = viewOf[T]("V", c.v), viewOf[T]("W", c.w)
	if v.rows != rows || w.cols != cols || v.cols != w.rows {
		refuse(lnmu.ErrShape, "M is %d x %d, V %d x %d and W %d x %d; want m x n, m x r and r x n", rows, cols, v.rows, v.cols, w.rows, w.cols)
	}
	return v, w
}

// mostLines is the largest number of rows and columns of a sparse matrix; see lnmu.CSR.
const mostLines = math.MaxInt32

// sparseSize takes the description of a sparse matrix and checks its size.
func sparseSize(given *C.nmu_csr) C.nmu_csr {
	m := take("M", given)
	if m.rows < 1 || m.cols < 1 || m.rows > mostLines || m.cols > mostLines || m.entries < 0 || m.entries > addressSpace/8 {
		refuse(lnmu.ErrShape, "M has %d rows, %d columns and %d entries", int64(m.rows), int64(m.cols), int64(m.entries))
	}
	return m
}

// sparseOf returns a sparse matrix of the caller: as it lies, but for numbers of another
// size.
func sparseOf[T lnmu.Float](given *C.nmu_csr) lnmu.CSR[T] {
	m := sparseSize(given)
	if m.pointers == nil || m.entries > 0 && (m.indices == nil || m.values == nil) {
		refuse(errArgument, "the pointers, indices or values of M are NULL")
	}
	c := lnmu.CSR[T]{Rows: int(m.rows), Cols: int(m.cols)}
	c.Ptr = integers[int]("pointers", m.pointer_type, m.pointers, int64(m.rows)+1)
	// Before indices are read, and perhaps copied, that may not be there.
	if first, last := c.Ptr[0], c.Ptr[c.Rows]; first != 0 || int64(last) != int64(m.entries) {
		refuse(lnmu.ErrShape, "M holds %d values but its row pointers go from %d to %d", int64(m.entries), first, last)
	}
	c.Val = array[T]("values", m.values, int64(m.entries))
	c.Idx = integers[int32]("indices", m.index_type, m.indices, int64(m.entries))
	return c
}

// integers returns an array of the caller as one of I: where it lies, if it is one.
func integers[I int | int32](name string, of C.int64_t, data unsafe.Pointer, n int64) []I {
	switch of {
	case C.NMU_INT32:
		return as[I, int32](name, data, n)
	case C.NMU_INT64:
		return as[I, int64](name, data, n)
	}
	refuse(errArgument, "the %s of M have the type %d; choose NMU_INT32 or NMU_INT64", name, int64(of))
	return nil
}

func as[I int | int32, J int32 | int64](name string, data unsafe.Pointer, n int64) []I {
	from := array[J](name, data, n)
	if unsafe.Sizeof(I(0)) == unsafe.Sizeof(J(0)) {
		return unsafe.Slice((*I)(data), n)
	}
	to := make([]I, n)
	for i, x := range from {
		if to[i] = I(x); J(to[i]) != x {
			refuse(lnmu.ErrShape, "number %d of the %s of M is %d", i, name, x)
		}
	}
	return to
}

// array returns n elements of the caller, of which there may be none.
func array[E any](name string, data unsafe.Pointer, n int64) []E {
	size := unsafe.Sizeof(*new(E))
	switch {
	case n == 0:
		return nil
	case uintptr(data)%size != 0:
		refuse(errArgument, "the %s of M do not lie at a multiple of %d bytes", name, size)
	case !layout{n, 1, 1, 1}.fits(addressSpace, uint64(uintptr(data)), uint64(size)):
		refuse(lnmu.ErrShape, "M has %d %s, which reach beyond the address space", n, name)
	}
	return unsafe.Slice((*E)(data), n)
}
