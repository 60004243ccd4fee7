package lnmu

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nmu/kernel"
)

// Float is the set of element types: every algorithm runs natively in either.
type Float = kernel.Float

// Dense is a dense row-major matrix: entry (i, j) is Data[i*Stride+j]. The
// order of the fields is that of gonum's blas64.General, so that one converts
// to the other. A Dense is a view: copying it does not copy Data.
type Dense[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// NewDense returns the rows x cols matrix whose rows lie one behind the other
// in data, without copying. If data is nil, it returns a zero matrix. It panics
// if rows or cols is negative, if rows*cols overflows, and if data has another
// length than that.
func NewDense[T Float](rows, cols int, data []T) Dense[T] {
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols {
		panic(fmt.Sprintf("lnmu: no matrix of %d x %d", rows, cols))
	}
	if data == nil {
		data = make([]T, rows*cols)
	}
	if len(data) != rows*cols {
		panic(fmt.Sprintf("lnmu: %d elements for a %d x %d matrix", len(data), rows, cols))
	}
	return Dense[T]{Rows: rows, Cols: cols, Data: data, Stride: cols}
}

// At returns entry (i, j).
func (d Dense[T]) At(i, j int) T { return d.Data[i*d.Stride+j] }

// Row returns row i without copying. It panics if the matrix has no such row,
// unless its rows are empty.
func (d Dense[T]) Row(i int) []T { return kernel.Matrix[T](d).Row(i) }

// Transposed returns a copy of the transpose.
func (d Dense[T]) Transposed() Dense[T] {
	t := NewDense[T](d.Cols, d.Rows, nil)
	transpose(kernel.Matrix[T](t), kernel.Matrix[T](d))
	return t
}

// Gonum returns a copy as a gonum matrix.
func (d Dense[T]) Gonum() *mat.Dense {
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

// FromGonum returns m with its entries rounded to T. A *mat.Dense asked for in
// float64 is viewed, not copied.
func FromGonum[T Float](m mat.Matrix) Dense[T] {
	if raw, ok := m.(mat.RawMatrixer); ok {
		r := raw.RawMatrix()
		if data, ok := any(r.Data).([]T); ok {
			return Dense[T]{Rows: r.Rows, Cols: r.Cols, Data: data, Stride: r.Stride}
		}
	}
	rows, cols := m.Dims()
	d := NewDense[T](rows, cols, nil)
	for i := range rows {
		for j := range cols {
			d.Data[i*cols+j] = T(m.At(i, j))
		}
	}
	return d
}

// validate reports whether d is a well-formed matrix with at least one entry.
func (d Dense[T]) validate(name string) error {
	switch {
	case d.Rows < 0 || d.Cols < 0:
		return fmt.Errorf("%w: %s has %d rows and %d columns", ErrShape, name, d.Rows, d.Cols)
	case d.Rows == 0 || d.Cols == 0:
		return fmt.Errorf("%w: %s is empty (%d x %d)", ErrShape, name, d.Rows, d.Cols)
	case d.Stride < d.Cols || d.Rows-1 > (len(d.Data)-d.Cols)/d.Stride || len(d.Data) < d.Cols:
		return fmt.Errorf("%w: %s is %d x %d with stride %d but holds %d elements", ErrShape, name, d.Rows, d.Cols, d.Stride, len(d.Data))
	}
	return nil
}

// transpose sets dst to srcᵀ, in tiles that stay in cache.
func transpose[T Float](dst, src kernel.Matrix[T]) {
	const tile = 32
	for i0 := 0; i0 < src.Rows; i0 += tile {
		i1 := min(i0+tile, src.Rows)
		for j0 := 0; j0 < src.Cols; j0 += tile {
			j1 := min(j0+tile, src.Cols)
			for i := i0; i < i1; i++ {
				for j, x := range src.Data[i*src.Stride+j0 : i*src.Stride+j1] {
					dst.Data[(j0+j)*dst.Stride+i] = x
				}
			}
		}
	}
}
