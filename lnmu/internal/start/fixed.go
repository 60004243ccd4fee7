package start

import (
	"fmt"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
)

// Fixed is the fixed columns of V and rows of W, in the precision of a run. The columns belong
// to the first factors, and the rows to the factors after them.
type Fixed[T kernel.Float] struct {
	Columns kernel.Matrix[T] // of V, as rows
	Rows    kernel.Matrix[T] // of W
}

// CheckFixed checks columns of V and rows of W for an m x n matrix. Either may be empty.
func CheckFixed(m, n int, v, w kernel.Matrix[float64]) error {
	for _, x := range []struct {
		name       string
		d          kernel.Matrix[float64]
		rows, cols int
	}{{"fixed V", v, m, v.Cols}, {"fixed W", w, w.Rows, n}} {
		if x.d.Rows*x.d.Cols == 0 {
			continue
		}
		if err := matrix.CheckFactor(x.name, x.name, x.d, x.rows, x.cols); err != nil {
			return err
		}
	}
	return nil
}

// NewFixed returns the fixed columns v of V and rows w of W of an m x n matrix. A baseline is a
// row of ones before w. The error wraps fault.ErrValue if the squares of a column or row are out
// of the range of T.
func NewFixed[T kernel.Float](m, n int, v, w kernel.Matrix[float64], baseline bool) (Fixed[T], error) {
	first := 0
	if baseline {
		first = 1
	}
	x := Fixed[T]{kernel.NewMatrix[T](v.Cols, m), kernel.NewMatrix[T](first+w.Rows, n)}
	for i := range v.Rows {
		for k, a := range v.Row(i) {
			x.Columns.Row(k)[i] = T(a)
		}
	}
	for k := range first {
		for j := range n {
			x.Rows.Row(k)[j] = 1
		}
	}
	for k := range w.Rows {
		for j, a := range w.Row(k) {
			x.Rows.Row(first + k)[j] = T(a)
		}
	}
	for _, side := range []struct {
		what string
		data kernel.Matrix[T]
	}{{"column %d of the fixed V", x.Columns}, {"row %d of the fixed W", x.Rows}} {
		for k := range side.data.Rows {
			if squares := float64(kernel.SumSquares(side.data.Row(k))); !(squares <= matrix.Largest[T]()/16) {
				return x, fmt.Errorf("%w: "+side.what+" overflows in %T; scale it down", fault.ErrValue, k+1, T(0))
			}
		}
	}
	return x, nil
}

// Of returns the parts that belong to a window of the matrix.
func (f Fixed[T]) Of(w core.Window) Fixed[T] {
	return Fixed[T]{matrix.View(f.Columns, w.Rows.From, w.Rows.To), matrix.View(f.Rows, w.Cols.From, w.Cols.To)}
}

// Fill sets the fixed columns of V and rows of W of the factors from k0 on in a result. It
// leaves the other sides of these factors, which are zero.
func (f Fixed[T]) Fill(v, w kernel.Matrix[T], k0 int) {
	n := f.Columns.Rows
	for k := k0; k < n; k++ {
		for i := range v.Rows {
			v.Row(i)[k] = f.Columns.Row(k)[i]
		}
	}
	for k := max(k0, n); k < n+f.Rows.Rows; k++ {
		copy(w.Row(k), f.Rows.Row(k-n))
	}
}
