package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) start(v, w kernel.Matrix[T], k0 int) {
	vt, wk := s.long, s.short
	if !s.tall {
		vt, wk = s.short, s.long
	}
	matrix.Transpose(vt, v.Slice(0, v.Rows, k0, k0+s.rank))
	for k := range s.rank {
		copy(wk.Row(k), w.Row(k0+k))
	}
}

// finish copies the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) finish(v, w kernel.Matrix[T], k0 int) {
	vt, wk := s.long, s.short
	if !s.tall {
		vt, wk = s.short, s.long
	}
	matrix.Transpose(v.Slice(0, v.Rows, k0, k0+s.rank), vt)
	for k := range s.rank {
		copy(w.Row(k0+k), wk.Row(k))
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
	long, short := s.heldLong, s.heldShort
	if all := (group.Span{To: s.rank}); s.simplexLong != nil && s.Summed() {
		long = all
	} else if s.simplexShort != nil && s.Summed() {
		short = all
	}
	s.scaleSide(s.long, alpha, long, short)
	s.scaleSide(s.short, alpha, short, long)
}

// scaleSide multiplies the factors on one side by alpha, or by its square if the other side is
// held. Held factors do not change.
func (s *solver[T]) scaleSide(f kernel.Matrix[T], alpha T, held, other group.Span) {
	for k := range f.Rows {
		by := alpha
		if other.Has(k) {
			by *= alpha
		}
		if held.Has(k) {
			continue
		}
		for i := range f.Row(k) {
			f.Row(k)[i] *= by
		}
	}
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
		across += matrix.Dot(s.c.Row(k), s.short.Row(k))
		within += matrix.Dot(s.d.Row(k), s.b.Row(k))
	}
	return across / within
}
