package sparse

import (
	"nmu/kernel"
)

// step makes a HALS step, V first, with an update of the multipliers of the length mu
// within its first half.
func (s *solver[T]) step(mu float64) {
	switch {
	case s.fusedRankOne():
		s.renewRankOne(mu)
	case s.wide:
		s.renewShort(mu)
		s.renewLong(0)
	default:
		s.renewLong(mu)
		s.renewShort(0)
	}
}

// relaxed is the relaxation of a sparse problem: the multipliers of the stored
// entries are updated within the first HALS step of the next iteration, that of the
type relaxed[T kernel.Float] struct {
	*solver[T]
	pending float64
	share   float64 // of g, after the multipliers were halved
}

// newLagrangian returns the relaxation of s, whose state and factors are set.
func (s *solver[T]) newLagrangian() *relaxed[T] {
	s.formGrams()
	return &relaxed[T]{solver: s, share: 1}
}

// Keep implements core.Relaxed.
func (r *relaxed[T]) Keep(zeros float64) {
	r.Round()
	r.keep()
	if !r.missing {
		r.g = T(r.share * zeros * float64(r.unit))
	}
}

// Step implements core.Relaxed.
func (r *relaxed[T]) Step(_ float64, first, _ bool) (alive bool) {
	if !first {
		r.pending = 0
	}
	r.solver.step(r.pending)
	return !r.vanished()
}

// Update implements core.Relaxed.
func (r *relaxed[T]) Update(mu float64) { r.pending = mu }

// Restore implements core.Relaxed.
func (r *relaxed[T]) Restore() {
	r.solver.restore()
	r.halveMultipliers()
	r.share /= 2
	r.pending = 0
	r.formGrams()
}

// Multiplied is true: the multiplier of the zeros is hardly ever zero, and what
// vanishes without multipliers vanishes to the last iteration.
func (r *relaxed[T]) Multiplied() bool { return true }

// Clear implements core.Problem.
func (s *solver[T]) Clear() {
	s.long.clear()
	s.short.clear()
}

// clear sets the vectors to zero, but for those that are held.
func (f *factor[T]) clear() {
	for i := range f.h.Rows {
		row := f.h.Row(i)
		clear(row[:f.held.From])
		clear(row[f.held.To:])
	}
}
