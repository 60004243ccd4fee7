package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// accelerated is the accelerated solver on a sparse M. A factor is renewed one
// block of its rows after the other, whose size follows from the type alone.
type accelerated[T kernel.Float] struct {
	*solver[T]
	products []float64 // <C, G> of every slab of the short factor

	extrapolateTask, backTask func(member, task int) // made once: a closure per phase would allocate
}

// Accelerate implements core.Problem.
func (s *solver[T]) Accelerate(sweeps int) core.Accelerated {
	x := s.accelerated
	if x == nil {
		x = &accelerated[T]{solver: s, products: make([]float64, len(s.across)-1)}
		s.accelerated = x
		s.long.within = true
		s.long.Sweeps = hals.PerProduct(sweeps, s.whole.entries, s.cols, s.whole.rows, s.rank, s.at.Cancelled)
		s.short.Sweeps = hals.PerProduct(sweeps, s.whole.entries, s.whole.rows, s.cols, s.rank, s.at.Cancelled)
		for _, f := range []*factor[T]{&s.long, &s.short} {
			f.before = vectors[T](f.h.Rows, s.rank)
		}
		for i := range s.scratch {
			s.scratch[i].before = kernel.NewMatrix[T](s.rank, s.most)
		}
		x.extrapolateTask = func(member, task int) {
			s.short.parts.Fold(member, task, func(to *group.Part[T], slab int) {
				s.short.extrapolate(s.across[slab], s.across[slab+1])
				s.sweep(member, slab, &s.short, nil, kernel.Matrix[T]{}, to)
			})
		}
		x.backTask = func(_, slab int) {
			f := &s.long
			if long := len(s.slabs) - 1; slab >= long {
				slab -= long
				f = &s.short
			}
			f.back(f.slabs[slab], f.slabs[slab+1])
		}
	}
	s.formGrams() // of which the penalties need the sums
	matrix.CopyRows(s.long.before, s.long.h)
	matrix.CopyRows(s.short.before, s.short.h)
	return x
}

// Iterate implements core.Accelerated.
func (x *accelerated[T]) Iterate(beta float64) float64 {
	s := x.solver
	s.Round()
	s.long.beta, s.short.beta = T(beta), T(beta)
	s.Run(len(s.short.parts.Tasks), x.extrapolateTask)
	s.short.collect()
	s.renewLong(0)
	if s.disk.aborted() {
		return math.Inf(1) // which is no progress
	}
	s.renewShort(0)
	if s.disk.aborted() {
		return math.Inf(1)
	}
	var energy float64
	for _, product := range x.products {
		energy -= 2 * product
	}
	for k := range s.rank {
		energy += matrix.Dot(s.long.gram.Row(k), s.short.gram.Row(k))
	}
	return energy
}

// measure takes note of the product of a slab of the short factor with its part c of C.
func (x *accelerated[T]) measure(slab int, c kernel.Matrix[T]) {
	first := x.short.slabs[slab]
	var sum float64
	for j := range c.Rows {
		sum += matrix.Dot(c.Row(j), x.short.h.Row(first+j))
	}
	x.products[slab] = sum
}

// Penalties implements core.Accelerated.
func (x *accelerated[T]) Penalties() float64 {
	var sum float64
	for _, f := range []*factor[T]{&x.long, &x.short} {
		for _, a := range f.sum {
			sum += float64(float64(f.penalty) * float64(a))
		}
	}
	return 2 * sum
}

// Back implements core.Accelerated.
func (x *accelerated[T]) Back() { x.Run(len(x.slabs)-1+len(x.across)-1, x.backTask) }

// extrapolate extrapolates rows [i0, i1) of h.
func (f *factor[T]) extrapolate(i0, i1 int) {
	kernel.Extrapolate(f.h.Slice(i0, i1, 0, f.h.Cols), f.before.Slice(i0, i1, 0, f.h.Cols), f.beta)
}

// back makes rows [i0, i1) of h those before the iteration.
func (f *factor[T]) back(i0, i1 int) {
	for i := i0; i < i1; i++ {
		if f.within {
			copy(f.before.Row(i), f.old.Row(i))
		}
		copy(f.h.Row(i), f.before.Row(i))
	}
}
