package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// accelerated is the accelerated solver on a sparse M. It renews a factor one block of rows after
// the other. The block size follows from the rank and the type alone.
type accelerated[T kernel.Float] struct {
	*solver[T]
	products []float64 // <C, G> of every slab of the short factor

	extrapolateTask func(member, task int) // made once: a closure per phase would allocate
}

// newAccelerated returns the accelerated solver on the state of s.
func newAccelerated[T kernel.Float](s *solver[T]) *accelerated[T] {
	x := &accelerated[T]{solver: s, products: make([]float64, len(s.Across)-1)}
	s.renewed = x.measure
	s.long.Accelerate(true)
	s.short.Accelerate(false)
	for i := range s.scratch {
		s.scratch[i].before = arena.Matrix[T](s.Arena, s.rank, s.most)
	}
	x.extrapolateTask = s.short.folded(func(member, slab int, to *group.Part[T]) {
		s.short.Extrapolate(s.Across[slab], s.Across[slab+1])
		s.sweep(member, slab, &s.short, false, kernel.Matrix[T]{}, to)
	})
	return x
}

// Iterate implements core.Momentum.
func (x *accelerated[T]) Iterate(beta float64) float64 {
	s := x.solver
	s.Round()
	s.SetBeta(beta)
	s.Run(len(s.short.parts.Tasks), x.extrapolateTask)
	s.short.collect()
	s.renewLong(0)
	if s.Aborted() {
		return math.Inf(1) // counts as no progress
	}
	s.renewShort(0)
	if s.Aborted() {
		return math.Inf(1)
	}
	var energy float64
	for _, product := range x.products {
		energy -= 2 * product
	}
	for k := range s.rank {
		energy += matrix.Dot(s.long.Gram.Row(k), s.short.Gram.Row(k))
	}
	return energy
}

// measure records <C, G> of a slab of the short factor, given its part c of C.
func (x *accelerated[T]) measure(slab int, c kernel.Matrix[T]) {
	first := x.solver.short.slabs[slab]
	var sum float64
	for j := range c.Rows {
		sum += matrix.Dot(c.Row(j), x.solver.short.X.Row(first+j))
	}
	x.products[slab] = sum
}

// Even implements core.Momentum.
func (x *accelerated[T]) Even(ratios *[]float64) { hals.Even(x.solver.V, x.solver.W, ratios, nil) }

func (x *accelerated[T]) State() []state.Field {
	return append(x.solver.State(), state.Named("long before", x.solver.RowsOf(x.solver.long.Before)), state.Named("short before", x.solver.short.Before))
}
