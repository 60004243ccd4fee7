package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// finish copies the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) finish(v, w kernel.Matrix[T], k0 int) {
	v.Slice(0, v.Rows, k0, k0+s.rank).SetTransposed(s.V.X)
	matrix.CopyRows(w.Slice(k0, k0+s.rank, 0, w.Cols), s.W.X)
}

// Scale scales both factors by α = <N, VW>/<VW, VW>, so that equation (scaling) holds; N is M or the residual that is to be
// factored.
func (s *solver[T]) Scale() { s.ScaleBoth(s.fit()) }

// fit returns the α that minimises ||N - α VW||, which is not a number if VW = 0.
func (s *solver[T]) fit() float64 {
	if s.cells.Incomplete() {
		return s.fitPartial()
	}
	s.formB()
	s.pass(kernel.Never, 0, false)
	if s.lines.Aborted() {
		return math.NaN()
	}
	var across float64
	for k := range s.rank {
		across += matrix.Dot(s.c.Row(k), s.short.X.Row(k))
	}
	return across / s.ProductSquares()
}
