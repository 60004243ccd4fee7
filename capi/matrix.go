package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	"nmu/lnmu"
)

// view is a matrix of the caller, with strides of any sign.
type view[T lnmu.Float] struct {
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

// elementType returns the type of T as nmu.h has it.
func elementType[T lnmu.Float]() C.int64_t {
	if _, ok := any(T(0)).(float32); ok {
		return C.NMU_FLOAT32
	}
	return C.NMU_FLOAT64
}

// takeMatrix copies the description of a matrix.
func takeMatrix(name string, given *C.nmu_matrix) (C.nmu_matrix, error) {
	if given == nil {
		return C.nmu_matrix{}, badArgument("%s is NULL", name)
	}
	return take(name, given)
}

// viewOf returns a matrix of the caller, of which all that can be known without
// looking at its entries has been checked.
func viewOf[T lnmu.Float](name string, given *C.nmu_matrix) (v view[T], err error) {
	m, err := takeMatrix(name, given)
	if err != nil {
		return v, err
	}
	if m._type != elementType[T]() {
		return v, badArgument("%s has the type %d and the matrix to be factored %d; they must be the same", name, int64(m._type), int64(elementType[T]()))
	}
	if err := checkLayout(name, m, unsafe.Sizeof(T(0))); err != nil {
		return v, err
	}
	v = view[T]{
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
	return v, nil
}

// addressSpace is the number of bytes that an array can have: 48 bits of address, the
// most that Go uses, or as many as an int counts.
const addressSpace = min(1<<48, math.MaxInt)

// checkLayout checks where a matrix of elements of so many bytes lies.
func checkLayout(name string, m C.nmu_matrix, size uintptr) error {
	switch {
	case m.rows < 1 || m.cols < 1:
		return fmt.Errorf("%w: %s has %d rows and %d columns", lnmu.ErrShape, name, int64(m.rows), int64(m.cols))
	case m.data == nil:
		return badArgument("the data of %s are NULL", name)
	case uintptr(m.data)%size != 0:
		return badArgument("the data of %s do not lie at a multiple of %d bytes", name, size)
	}
	l := layout{int64(m.rows), int64(m.cols), int64(m.row_stride), int64(m.col_stride)}
	if !l.fits(addressSpace, uint64(uintptr(m.data)), uint64(size)) {
		return fmt.Errorf("%w: %s is %d x %d with strides %d and %d, and reaches beyond the address space", lnmu.ErrShape, name,
			l.rows, l.cols, l.down, l.across)
	}
	return nil
}

// matrix returns the view as lnmu reads it fastest: where it lies, if the strides are
// not negative.
func (v view[T]) matrix() lnmu.Matrix[T] {
	if v.rowStride < 0 || v.colStride < 0 {
		return v
	}
	last := (v.rows-1)*v.rowStride + (v.cols-1)*v.colStride
	return lnmu.Strided[T]{Rows: v.rows, Cols: v.cols, Data: unsafe.Slice(v.first, last+1), RowStride: v.rowStride, ColStride: v.colStride}
}

// dense returns the matrix by rows: itself, if it lies so, else a copy.
func (v view[T]) dense() lnmu.Dense[T] {
	if v.colStride == 1 && v.rowStride >= v.cols {
		return lnmu.Dense[T]{Rows: v.rows, Cols: v.cols, Data: unsafe.Slice(v.first, (v.rows-1)*v.rowStride+v.cols), Stride: v.rowStride}
	}
	d := lnmu.NewDense[T](v.rows, v.cols, nil)
	for i := range d.Rows {
		for j := range d.Row(i) {
			d.Row(i)[j] = v.At(i, j)
		}
	}
	return d
}

// set writes d, and zeros where it has fewer rows or columns.
func (v view[T]) set(d lnmu.Dense[T]) {
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

// writable returns an error unless each entry has a place of its own.
func (v view[T]) writable() error {
	near, far := magnitude(int64(v.rowStride)), magnitude(int64(v.colStride))
	nearCount, farCount := uint64(v.rows), uint64(v.cols)
	if farCount == 1 || nearCount > 1 && near > far {
		near, far, nearCount, farCount = far, near, farCount, nearCount
	}
	if nearCount > 1 && near == 0 || farCount > 1 && far <= (nearCount-1)*near {
		return fmt.Errorf("%w: entries of %s (%d x %d, strides %d and %d) share their places, where results are to be written",
			lnmu.ErrShape, v.name, v.rows, v.cols, v.rowStride, v.colStride)
	}
	return nil
}

// factors returns V and W for an m x n matrix, into which results are written.
func factors[T lnmu.Float](m, n int, givenV, givenW *C.nmu_matrix) (v, w view[T], err error) {
	if v, err = viewOf[T]("V", givenV); err != nil {
		return v, w, err
	}
	if w, err = viewOf[T]("W", givenW); err != nil {
		return v, w, err
	}
	if v.rows != m || w.cols != n || v.cols != w.rows {
		return v, w, fmt.Errorf("%w: M is %d x %d, V %d x %d and W %d x %d; want m x n, m x r and r x n",
			lnmu.ErrShape, m, n, v.rows, v.cols, w.rows, w.cols)
	}
	return v, w, nil
}

// mostLines is the largest number of rows and columns of a sparse matrix; see lnmu.CSR.
const mostLines = math.MaxInt32

// sparseOf returns a sparse matrix of the caller: as it lies, but for numbers of another
// size.
func sparseOf[T lnmu.Float](given *C.nmu_csr) (c lnmu.CSR[T], err error) {
	m, err := take("M", given)
	if err != nil {
		return c, err
	}
	switch {
	case m.rows < 1 || m.cols < 1 || m.rows > mostLines || m.cols > mostLines || m.entries < 0:
		return c, fmt.Errorf("%w: M has %d rows, %d columns and %d entries", lnmu.ErrShape, int64(m.rows), int64(m.cols), int64(m.entries))
	case m.pointers == nil || m.entries > 0 && (m.indices == nil || m.values == nil):
		return c, badArgument("the pointers, indices or values of M are NULL")
	}
	c = lnmu.CSR[T]{Rows: int(m.rows), Cols: int(m.cols)}
	if c.Ptr, err = integers[int]("pointers", m.pointer_type, m.pointers, int64(m.rows)+1); err != nil {
		return c, err
	}
	// Before indices are read, and perhaps copied, that may not be there.
	if first, last := c.Ptr[0], c.Ptr[c.Rows]; first != 0 || int64(last) != int64(m.entries) {
		return c, fmt.Errorf("%w: M holds %d values but its row pointers go from %d to %d", lnmu.ErrShape, int64(m.entries), first, last)
	}
	if c.Val, err = array[T]("values", m.values, int64(m.entries)); err != nil {
		return c, err
	}
	c.Idx, err = integers[int32]("indices", m.index_type, m.indices, int64(m.entries))
	return c, err
}

// integers returns an array of the caller as one of I: where it lies, if it is one.
func integers[I int | int32](name string, of C.int64_t, data unsafe.Pointer, n int64) ([]I, error) {
	switch of {
	case C.NMU_INT32:
		return as[I, int32](name, data, n)
	case C.NMU_INT64:
		return as[I, int64](name, data, n)
	}
	return nil, badArgument("the %s of M have the type %d; choose NMU_INT32 or NMU_INT64", name, int64(of))
}

func as[I int | int32, J int32 | int64](name string, data unsafe.Pointer, n int64) ([]I, error) {
	from, err := array[J](name, data, n)
	if err != nil {
		return nil, err
	}
	if unsafe.Sizeof(I(0)) == unsafe.Sizeof(J(0)) {
		return unsafe.Slice((*I)(data), n), nil
	}
	to := make([]I, n)
	for i, x := range from {
		if to[i] = I(x); J(to[i]) != x {
			return nil, fmt.Errorf("%w: number %d of the %s of M is %d", lnmu.ErrShape, i, name, x)
		}
	}
	return to, nil
}

// array returns n elements of the caller, of which there may be none.
func array[E any](name string, data unsafe.Pointer, n int64) ([]E, error) {
	size := unsafe.Sizeof(*new(E))
	switch {
	case n == 0:
		return nil, nil
	case uintptr(data)%size != 0:
		return nil, badArgument("the %s of M do not lie at a multiple of %d bytes", name, size)
	case !layout{n, 1, 1, 1}.fits(addressSpace, uint64(uintptr(data)), uint64(size)):
		return nil, fmt.Errorf("%w: M has %d %s, which reach beyond the address space", lnmu.ErrShape, n, name)
	}
	return unsafe.Slice((*E)(data), n), nil
}
