package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
	"nmu/lnmu/internal/state"
)

// acceleratedDense is the accelerated solver on a dense M. Except during an iteration, the
// factors of the solver are the kept ones.
type acceleratedDense[T kernel.Float] struct {
	*solver[T]
	ofLong, ofShort         hals.Sweeps
	kept                    kernel.Matrix[T] // the long factor as it was before the iteration
	beforeLong, beforeShort kernel.Matrix[T] // what the factors are extrapolated from
	beta                    T
	scratch                 []kernel.Matrix[T] // a block of a factor before a sweep, one per member
	ones                    []T                // a one for each row of a pass in all processes, for sums
	room                    kernel.Matrix[T]   // for a row of the long factor of all processes

	extrapolateTask, backTask func(member, row int) // made once: a closure per phase would allocate
}

// Accelerate implements core.Problem.
func (s *solver[T]) Accelerate(sweeps int) core.Momentum {
	x := s.accelerated
	if x == nil {
		x = &acceleratedDense[T]{solver: s}
		s.accelerated = x
		s.block = s.rowsWithin(acceleratedBlock, leastAcceleratedBlock, s.panelCols())
		s.generalPass()
		if s.targets != nil {
			s.makeTargets() // of the new size
		}
		entries := s.whole * s.cols
		x.ofLong, x.ofShort = hals.PerProduct(sweeps, entries, s.cols, s.whole, s.rank, s.Over), hals.PerProduct(sweeps, entries, s.whole, s.cols, s.rank, s.Over)
		x.kept = kernel.NewMatrix[T](s.rank, s.rows)
		x.beforeLong, x.beforeShort = kernel.NewMatrix[T](s.rank, s.rows), kernel.NewMatrix[T](s.rank, s.cols)
		x.scratch = make([]kernel.Matrix[T], s.Size())
		for i := range x.scratch {
			x.scratch[i] = kernel.NewMatrix[T](s.rank, max(s.block, s.panelCols()))
		}
		x.ones, x.room = make([]T, s.whole), s.roomFor(1)
		for i := range x.ones {
			x.ones[i] = 1
		}
		x.extrapolateTask = func(_, k int) {
			kernel.Extrapolate(s.short.Slice(k, k+1, 0, s.cols), x.beforeShort.Slice(k, k+1, 0, s.cols), x.betaOf(s.simplexShort))
		}
		x.backTask = func(_, k int) {
			copy(s.long.Row(k), x.kept.Row(k))
			copy(x.beforeLong.Row(k), x.kept.Row(k))
			copy(s.short.Row(k), x.beforeShort.Row(k))
		}
	}
	matrix.CopyRows(x.beforeLong, s.long)
	matrix.CopyRows(x.beforeShort, s.short)
	return x
}

// Iterate implements core.Momentum.
func (x *acceleratedDense[T]) Iterate(beta float64) float64 {
	s := x.solver
	s.Round()
	x.beta = T(beta)
	s.Run(s.rank, x.extrapolateTask)
	s.formB()
	s.pass(kernel.Never, 0, true)
	if s.lines.Aborted() {
		return math.Inf(1) // counts as no progress
	}
	s.renewShort()
	return s.energy()
}

// betaOf returns β for a side, or 0 if its vectors have the sum 1, which extrapolation would
// change.
func (x *acceleratedDense[T]) betaOf(simplex []*qp.Simplex) T {
	if simplex != nil {
		return 0
	}
	return x.beta
}

// energy returns ||V W||² - 2 <N, V W> after a step, from its sums.
func (s *solver[T]) energy() (energy float64) {
	for k := range s.rank {
		energy -= 2 * matrix.Dot(s.c.Row(k), s.short.Row(k))
		energy += matrix.Dot(s.d.Row(k), s.b.Row(k))
	}
	return energy
}

// Penalties implements core.Momentum.
func (x *acceleratedDense[T]) Penalties() float64 {
	s := x.solver
	if s.penaltyLong == 0 && s.penaltyShort == 0 {
		return 0
	}
	var long, short float64
	for k := range s.rank {
		long += matrix.Dot(s.gather(s.long.Slice(k, k+1, 0, s.rows), x.room).Row(0), x.ones)
		short += matrix.Dot(s.short.Row(k), x.ones[:s.cols])
	}
	return 2 * (float64(float64(s.penaltyLong)*long) + float64(float64(s.penaltyShort)*short))
}

// Back implements core.Momentum.
func (x *acceleratedDense[T]) Back() { x.Run(x.rank, x.backTask) }

// renewLong renews columns [i0, i1) of the long factor, which are h, given their
// product with N.
func (x *acceleratedDense[T]) renewLong(member, i0, i1 int, h, a kernel.Matrix[T]) {
	s := x.solver
	matrix.CopyRows(matrix.View(x.kept, i0, i1), h)
	s.sweepLong(member, x.ofLong, x.scratch[member], h, a, i0, i1)
	kernel.Extrapolate(h, matrix.View(x.beforeLong, i0, i1), x.betaOf(s.simplexLong))
}

// skipLong makes Back keep columns [i0, i1) of the long factor, which an aborted pass did not renew.
func (x *acceleratedDense[T]) skipLong(i0, i1 int) {
	matrix.CopyRows(matrix.View(x.kept, i0, i1), matrix.View(x.long, i0, i1))
}

// renewShortPanel renews columns [j0, j1) of the short factor.
func (x *acceleratedDense[T]) renewShortPanel(member, j0, j1 int) {
	x.sweepShortPanel(member, x.ofShort, x.scratch[member], j0, j1)
}

// State implements core.Momentum.
func (x *acceleratedDense[T]) State() []state.Field {
	return append(x.solver.State(), state.Named("long before", x.columnsOf(x.beforeLong)), state.Named("short before", x.beforeShort))
}
