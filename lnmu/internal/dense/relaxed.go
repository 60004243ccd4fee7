package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// relaxation is what all relaxations of a dense problem share of core.Relaxed.
type relaxation[T kernel.Float] struct{ *solver[T] }

// relaxedDense is the relaxation of a dense problem in the Frobenius norm.
//
// Over a tall M, the long factor is V, and a HALS step is a pass and then
// renewShort; the multipliers are updated at the start of the next iteration's first
// pass. Over a wide M, the long factor is W, and a HALS step is renewShort and then a
// pass; the multipliers are updated within the last pass of the iteration. In both
// cases N is read once per HALS step and M once per iteration.
type relaxedDense[T kernel.Float] struct {
	relaxation[T]
	pending float64 // the length of the update that the next pass makes first
}

// Keep implements core.Relaxed: the zeros of a dense M have multipliers of their own.
func (r *relaxedDense[T]) Keep(float64, float64) {
	r.solver.Round()
	r.solver.keep()
}

// Step implements core.Relaxed.
func (r *relaxedDense[T]) Step(mu float64, first, last bool) (alive bool) {
	r.solver.step(r.solver.update(r.pending, mu, first, last))
	return !r.solver.Vanished()
}

// Update implements core.Relaxed.
func (r *relaxedDense[T]) Update(mu float64) { r.pending = mu }

// Restore implements core.Relaxed.
func (r *relaxedDense[T]) Restore() {
	r.solver.restore()
	r.solver.halveMultipliers()
	r.pending = 0
	r.solver.Begin()
}

// Multiplied reports whether N differs from max(0, M).
func (r relaxation[T]) Multiplied() bool {
	s := r.solver
	return s.anyBlock(block.Reads, block.Reads, true, func(_, i0 int, m, n kernel.Matrix[T]) (found bool) {
		for i := 0; i < n.Rows && !found; i++ {
			e := m.Row(i)
			for j, n := range n.Row(i) {
				found = found || n != max(0, e[j]) && s.cells.Observed(i0+i, j)
			}
		}
		return found
	})
}

// halveMultipliers sets Λ to Λ/2, that is N to (M + N)/2, after the multipliers have grown so
// large that a factor vanished.
func (s *solver[T]) halveMultipliers() {
	s.overRows(block.Reads, block.Updates, true, func(_ int, m, n []T) {
		for j, x := range n {
			n[j] = (max(0, m[j]) + x) / 2
		}
	})
}

// violate sets Λ to max(0, V W - M), which is an update of length 1 of Λ = 0.
func (r *relaxedDense[T]) violate() {
	if r.solver.tall {
		r.pending = 1 // the first pass makes it
		return
	}
	s := r.solver
	if !s.rankOne || !s.cells.Masked() {
		s.pass(kernel.After, 1, false)
		return
	}
	s.mu = 1
	s.overSlabs(block.Reads, block.Updates, true, s.updateSlab) // a pass that renews nothing does not see W
	s.Begin()
}

// State implements core.Relaxed.
func (r *relaxedDense[T]) State() []state.Field {
	return append(r.solver.State(), state.Named("N", stateRows[T]{r.solver}), state.Named("pending", &r.pending))
}

// Reset sets N = max(0, E), that is Λ = 0, and reports whether anything is
// left to factor.
func (s *solver[T]) Reset() bool {
	s.rho = 0
	found := make([]bool, s.slabs)
	s.overRows(block.Reads, block.Writes, true, func(slab int, m, n []T) {
		for j, e := range m {
			n[j] = max(0, e)
		}
		found[slab] = found[slab] || kernel.Max(n) > 0
	})
	return s.lines.Aborted() || group.Any(s.share, found) // an aborted pass may have missed a positive entry
}
