package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) start(v, w kernel.Matrix[T], k0 int) {
	ofV, ofW := s.sides()
	matrix.Transpose(ofV.X, v.Slice(0, v.Rows, k0, k0+s.rank))
	for k := range s.rank {
		copy(ofW.X.Row(k), w.Row(k0+k))
	}
}

// finish copies the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) finish(v, w kernel.Matrix[T], k0 int) {
	ofV, ofW := s.sides()
	matrix.Transpose(v.Slice(0, v.Rows, k0, k0+s.rank), ofV.X)
	for k := range s.rank {
		copy(w.Row(k0+k), ofW.X.Row(k))
	}
}

// Scale multiplies both factors by the square root of
// α = <N, VW>/<VW, VW>, so that equation (scaling) holds; N is M or the residual
// that is to be factored. Factors that cannot be scaled do not change. Where one side is held or
// has sums of 1, the other side is multiplied by α.
func (s *solver[T]) Scale() {
	alpha := T(math.Sqrt(s.fit()))
	if !(alpha > 0) || math.IsInf(float64(alpha), 0) {
		return
	}
	hals.ScaleBoth(&s.long, &s.short, alpha)
}

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
	var across, within float64
	for k := range s.rank {
		across += matrix.Dot(s.c.Row(k), s.short.X.Row(k))
		within += matrix.Dot(s.long.Gram.Row(k), s.short.Gram.Row(k))
	}
	return across / within
}
