package hals

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// ColumnsPerPanel is the number of columns that are swept side by side.
const ColumnsPerPanel = 64

const sweepsPerCheck = 10 // sweeps between two checks of the KKT residuals

// Normal is the matrix of the normal equations of a column, D = Vᵀ V, with the reciprocals of
// its diagonal.
type Normal[T kernel.Float] struct {
	D   kernel.Matrix[T]
	Inv []T
}

// NewNormal returns the normal equations for the transpose of V.
func NewNormal[T kernel.Float](vt kernel.Matrix[T]) Normal[T] {
	n := Normal[T]{kernel.NewMatrix[T](vt.Rows, vt.Rows), make([]T, vt.Rows)}
	kernel.Gram(n.D, vt)
	kernel.Reciprocals(n.Inv, n.D)
	return n
}

// Settle sets columns first, first+1, ... of w to the weights of columns of M, given their
// products c = Vᵀ M, one column each, and their norms. It overwrites c. The sweeps begin with the
// same columns of start, or with 0 if start is the zero matrix. If the run is cancelled,
// unfinished columns do not change. The sweeps over a column end after by.Iterations of them, or when its KKT
// residual is at most by.Tolerance. With SumToOne there are none: the column gets the best weights with the sum 1.
//
// The last column of the panel takes the place of a column that is done. The result of a sweep
// does not depend on the place of a column.
func Settle[T kernel.Float](over func() bool, by core.Weighing, w, start kernel.Matrix[T], first int, c kernel.Matrix[T], norms []float64, n Normal[T]) (s core.Weighed) {
	r, left := c.Rows, c.Cols
	length := make([]float64, r) // of the columns of V
	for k := range length {
		length[k] = math.Sqrt(float64(n.D.Row(k)[k]))
	}
	h, place := kernel.NewMatrix[T](r, left), make([]int, left)
	if by.SumToOne {
		if over() {
			return s
		}
		s = core.Weighed{KKT: OnSimplex(qp.NewSimplex(r), h, c, n.D, 0), Finished: left}
		matrix.CopyRows(w.Slice(0, r, first, first+left), h)
		return s
	}
	for j := range place {
		place[j] = first + j
		for k := range r {
			if start.Data != nil && n.Inv[k] > 0 {
				h.Row(k)[j] = start.At(k, place[j])
			}
		}
	}
	for it := 0; left > 0 && !over(); it++ {
		for j := left - 1; j >= 0 && (it%sweepsPerCheck == 0 || it == by.Iterations); j-- {
			kkt := residualKKT(c, h, n.D, length, norms[j], j)
			if kkt > by.Tolerance && it < by.Iterations {
				continue
			}
			s = s.Plus(core.Weighed{Iterations: it, KKT: kkt, Finished: 1})
			left--
			for k := range r {
				w.Row(k)[place[j]] = h.Row(k)[j]
				h.Row(k)[j], c.Row(k)[j] = h.Row(k)[left], c.Row(k)[left]
			}
			norms[j], place[j] = norms[left], place[left]
		}
		kernel.Sweep(h.Slice(0, r, 0, left), c.Slice(0, r, 0, left), n.D, n.Inv, 0, kernel.Matrix[T]{})
	}
	return s
}

// residualKKT returns the KKT residual of column j of W.
func residualKKT[T kernel.Float](c, w, d kernel.Matrix[T], length []float64, norm float64, j int) float64 {
	if norm == 0 {
		norm = 1
	}
	var worst float64
	for k := range length {
		if length[k] == 0 {
			continue
		}
		grad := -float64(c.Row(k)[j])
		for l, x := range d.Row(k) {
			grad = math.FMA(float64(x), float64(w.Row(l)[j]), grad)
		}
		worst = max(worst, math.Abs(min(float64(w.Row(k)[j])*length[k]/norm, grad/length[k]/norm)))
	}
	return worst
}
