package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/internal/tiles"
)

// On a sparse M the multipliers G of the stored entries are kept one by one. On the zeros, V W +
// S = 0 with S >= 0 means V W = S = 0. So an update subtracts V W from G there, and the target is
// N = G. -G is a multiplier that never decreases, as in Algorithm L-NMU. Like there, one growing
// number -g(k) takes the place of G on all zeros (the last remark of section 3). Once g(k) is the
// largest entry of M, no factor gains enough elsewhere to pay for covering many zeros.

// augmented is the relaxation of a sparse problem by the augmented Lagrangian. The multipliers of
// the stored entries are updated within the first HALS step of the next iteration, or earlier by
// Primal.
type augmented[T kernel.Float] struct {
	*relaxed[T]
	squares []augmentedExtent // of every slab
	measure func(member, task int)
}

// augmentedExtent sums up the residual and V W on the stored entries.
type augmentedExtent struct{ primal, product float64 }

func (a augmentedExtent) plus(b augmentedExtent) augmentedExtent {
	return augmentedExtent{a.primal + b.primal, a.product + b.product}
}

// newAugmented returns the relaxation of s, whose factors are set.
func newAugmented[T kernel.Float](s *solver[T], rho float64) *augmented[T] {
	a := &augmented[T]{relaxed: newLagrangian(s), squares: make([]augmentedExtent, s.Count())}
	a.measure = a.measureSlab
	s.rho = T(rho)
	s.EveryEntry([3]block.Access{block.OfN: block.Writes}, func(_, n, _ []T) { clear(n) })
	return a
}

// Keep implements core.Relaxed.
func (a *augmented[T]) Keep(zeros, penalty float64) {
	a.relaxed.Keep(zeros, penalty)
	rho := T(penalty)
	if rho == a.solver.rho {
		return
	}
	if a.pending != 0 {
		a.Primal() // makes the pending update with the old ρ
	}
	a.solver.scaleMultipliers(a.solver.rho / rho)
	a.solver.rho = rho
}

// Primal makes the pending update and returns ||M - V W - S||². This is the sum of the squared
// changes of G on the stored entries, and of the squares of V W on the zeros.
func (a *augmented[T]) Primal() float64 {
	a.solver.OverSlabs([3]block.Access{block.OfM: block.Reads, block.OfN: block.Updates}, true, a.measure)
	a.pending = 0
	if a.solver.Aborted() {
		return math.Inf(1)
	}
	sum := group.Sum(a.solver.Among(), a.squares, augmentedExtent.plus)
	return sum.primal + max(0, a.solver.ProductSquares()-sum.product)
}

func (a *augmented[T]) measureSlab(member, task int) {
	var sum augmentedExtent
	a.solver.eachBlock(member, task, func(tile tiles.Tile[T], i, end, t0, t1 int, p []T) {
		a.solver.product(p, &tile, task, i, end)
		g, m := tile.N[t0:t1], tile.M[t0:t1]
		for t, x := range p {
			// d is M - V W - S, with the S after the update.
			y := float64(g[t]) + float64(max(0, m[t])) - float64(x)
			d := min(y, 0) + max(y, 0)/(1+float64(a.solver.rho)) - float64(g[t])
			sum.primal += float64(d * d)
			sum.product += float64(float64(x) * float64(x))
		}
		kernel.UpdateAugmented(matrix.AsRow(g), matrix.AsRow(p), matrix.AsRow(m), a.solver.rho)
	})
	a.squares[task] = sum
}

// Restore implements core.Relaxed.
func (a *augmented[T]) Restore() {
	a.solver.restore()
	a.solver.scaleMultipliers(0.5)
	a.share /= 2
	a.pending = 0
	a.solver.formGrams()
}

// scaleMultipliers multiplies G by a factor.
func (s *solver[T]) scaleMultipliers(factor T) {
	s.EveryEntry([3]block.Access{block.OfN: block.Updates}, func(_, n, _ []T) { kernel.Scale(n, factor) })
}

func (a *augmented[T]) State() []state.Field {
	return append(a.relaxed.State(), state.Named("rho", &a.solver.rho))
}
