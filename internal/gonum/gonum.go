// Package gonum converts matrices to and from gonum, for tests, measurements and the paper's
// reference. A program that embeds lnmu needs no conversion: a lnmu.Dense[float64] converts to
// a blas64.General, and lnmu.Factor takes a *mat.Dense.
package gonum

import (
	"gonum.org/v1/gonum/mat"

	"nmu/kernel"
)

// To returns a copy of d.
func To[T kernel.Float](d kernel.Matrix[T]) *mat.Dense {
	m := mat.NewDense(d.Rows, d.Cols, nil)
	raw := m.RawMatrix()
	for i := range d.Rows {
		dst := raw.Data[i*raw.Stride:]
		for j, x := range d.Row(i) {
			dst[j] = float64(x)
		}
	}
	return m
}

// From returns m with its entries rounded to T. For float64 and a *mat.Dense it returns a view,
// not a copy.
func From[T kernel.Float](m mat.Matrix) kernel.Matrix[T] {
	if raw, ok := m.(mat.RawMatrixer); ok {
		r := raw.RawMatrix()
		if data, ok := any(r.Data).([]T); ok {
			return kernel.Matrix[T]{Rows: r.Rows, Cols: r.Cols, Data: data, Stride: r.Stride}
		}
	}
	rows, cols := m.Dims()
	d := kernel.Matrix[T]{Rows: rows, Cols: cols, Data: make([]T, rows*cols), Stride: cols}
	for i := range rows {
		for j := range cols {
			d.Data[i*cols+j] = T(m.At(i, j))
		}
	}
	return d
}
