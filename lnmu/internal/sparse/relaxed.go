package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/state"
)

// relaxed is the relaxation of a sparse problem: the multipliers of the stored
// entries are updated within the first HALS step of the next iteration.
type relaxed[T kernel.Float] struct {
	*solver[T]
	pending float64
	share   float64 // factor of g: halved with the multipliers
}

// newLagrangian returns the relaxation of s, whose state and factors are set.
func newLagrangian[T kernel.Float](s *solver[T]) *relaxed[T] {
	s.formGrams()
	return &relaxed[T]{solver: s, share: 1}
}

// Keep implements core.Relaxed.
func (r *relaxed[T]) Keep(zeros, _ float64) {
	r.solver.Round()
	r.solver.keep()
	if !r.solver.missing {
		r.solver.g = T(r.share * zeros * float64(r.solver.unit))
	}
}

// Step implements core.Relaxed.
func (r *relaxed[T]) Step(_ float64, first, _ bool) (alive bool) {
	if !first {
		r.pending = 0
	}
	r.solver.step(r.pending)
	return !r.solver.Vanished()
}

// Update implements core.Relaxed.
func (r *relaxed[T]) Update(mu float64) { r.pending = mu }

// Restore implements core.Relaxed.
func (r *relaxed[T]) Restore() {
	r.solver.restore()
	r.solver.halveMultipliers()
	r.share /= 2
	r.pending = 0
	r.solver.formGrams()
}

// Multiplied implements core.Relaxed. It is true, since the multiplier of the zeros is hardly
// ever zero. Factors that vanish without multipliers vanish in every iteration up to the last
// one.
func (r *relaxed[T]) Multiplied() bool { return true }

// halveMultipliers sets Λ to Λ/2, after a factor has vanished.
func (s *solver[T]) halveMultipliers() {
	s.EveryEntry([3]block.Access{block.OfM: block.Reads, block.OfN: block.Updates}, func(m, n, _ []T) {
		for t, m := range m {
			n[t] = (max(0, m) + n[t]) / 2
		}
	})
}

func (r *relaxed[T]) State() []state.Field {
	return append(r.solver.State(), state.Named("N", r.solver.Entries()), state.Named("pending", &r.pending), state.Named("share", &r.share))
}
