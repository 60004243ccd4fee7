package lnmu

import (
	"fmt"
	"math"

	"nmu/kernel"
)

// Float is the set of element types: every algorithm runs natively in either.
type Float = kernel.Float

// Dense is a dense row-major matrix: entry (i, j) is Data[i*Stride+j]. It is the
// matrix of package kernel, and converts to and from gonum's blas64.General and
// blas32.General, whose fields are the same in the same order. A Dense is a view:
// copying it does not copy Data.
type Dense[T Float] = kernel.Matrix[T]

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

// Transposed returns a copy of the transpose.
func Transposed[T Float](d Dense[T]) Dense[T] {
	t := NewDense[T](d.Cols, d.Rows, nil)
	transpose(t, d)
	return t
}

// Validate returns an error that wraps ErrShape unless m is well-formed, with at
// least one entry and all of them in Data.
func Validate[T Float](m Dense[T]) error { return validate("M", m) }

// validate returns an error, which names the matrix, unless it is well-formed with at
// least one entry.
func validate[T Float](name string, d Dense[T]) error {
	if err := checkDims(name, d.Rows, d.Cols); err != nil {
		return err
	}
	if d.Stride < d.Cols || d.Rows-1 > (len(d.Data)-d.Cols)/d.Stride || len(d.Data) < d.Cols {
		return fmt.Errorf("%w: %s is %d x %d with stride %d but holds %d elements", ErrShape, name, d.Rows, d.Cols, d.Stride, len(d.Data))
	}
	return nil
}

// checkDims returns an error unless a matrix has at least one entry.
func checkDims(name string, rows, cols int) error {
	switch {
	case rows < 0 || cols < 0:
		return fmt.Errorf("%w: %s has %d rows and %d columns", ErrShape, name, rows, cols)
	case rows == 0 || cols == 0:
		return fmt.Errorf("%w: %s is empty (%d x %d)", ErrShape, name, rows, cols)
	}
	return nil
}

// transpose sets dst to srcᵀ, in tiles that stay in cache.
func transpose[T Float](dst, src kernel.Matrix[T]) {
	const (
		together = 8   // rows of src that are read side by side: a cache line of float64 in dst
		width    = 256 // columns of src, whose lines in dst stay in L1 until they are full
	)
	for j0 := 0; j0 < src.Cols; j0 += width {
		j1 := min(j0+width, src.Cols)
		i := 0
		for ; i+together <= src.Rows; i += together {
			var x [together][]T
			for k := range x {
				x[k] = src.Row(i + k)[j0:j1]
			}
			eightRows(dst.Data[j0*dst.Stride+i:], dst.Stride, &x)
		}
		for ; i < src.Rows; i++ {
			for j, x := range src.Row(i)[j0:j1] {
				dst.Data[(j0+j)*dst.Stride+i] = x
			}
		}
	}
}

// eightRows copies eight rows of one length to the columns of dst.
func eightRows[T Float](dst []T, stride int, rows *[8][]T) {
	n := len(rows[0])
	a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	e, f, g, h := rows[4][:n], rows[5][:n], rows[6][:n], rows[7][:n]
	for j := range n {
		to := (*[8]T)(dst[j*stride:])
		to[0], to[1], to[2], to[3] = a[j], b[j], c[j], d[j]
		to[4], to[5], to[6], to[7] = e[j], f[j], g[j], h[j]
	}
}
