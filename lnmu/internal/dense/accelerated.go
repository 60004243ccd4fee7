package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
)

// acceleratedDense is the accelerated solver on a dense M. Except during an iteration, the
// factors of the solver are the kept ones.
type acceleratedDense[T kernel.Float] struct {
	*solver[T]
	ones []T              // a one for each row of a pass in all processes, for sums
	room kernel.Matrix[T] // for a row of the long factor of all processes

	extrapolateTask func(member, row int) // made once: a closure per phase would allocate
}

// Accelerate implements core.Problem.
func (s *solver[T]) Accelerate(sweeps int) core.Momentum {
	entries := s.whole * s.cols
	s.long.Sweeps, s.short.Sweeps = hals.PerProduct(sweeps, entries, s.cols, s.whole, s.rank, s.Over), hals.PerProduct(sweeps, entries, s.whole, s.cols, s.rank, s.Over)
	s.BeginMomentum()
	return s.accelerated
}

// accelerate makes the solver the accelerated one, whose passes work on larger blocks.
func (s *solver[T]) accelerate() {
	s.block = s.rowsWithin(acceleratedBlock, leastAcceleratedBlock, s.panelCols())
	s.generalPass()
	s.long.Accelerate(true)
	s.short.Accelerate(false)
	s.before = s.each(s.rank, max(s.block, s.panelCols()))
	s.accelerated = &acceleratedDense[T]{
		solver: s, ones: arena.Ones[T](s.arena, s.whole), room: s.roomFor(1), extrapolateTask: func(_, k int) { s.short.Extrapolate(k, k+1) },
	}
}

// Iterate implements core.Momentum.
func (x *acceleratedDense[T]) Iterate(beta float64) float64 {
	s := x.solver
	s.Round()
	s.SetBeta(beta)
	s.Run(s.rank, x.extrapolateTask)
	s.formB()
	s.pass(kernel.Never, 0, true)
	if s.lines.Aborted() {
		return math.Inf(1) // counts as no progress
	}
	s.renewShort()
	return s.energy()
}

// energy returns ||V W||² - 2 <N, V W> after a step, from its sums.
func (s *solver[T]) energy() (energy float64) {
	for k := range s.rank {
		energy -= 2 * matrix.Dot(s.c.Row(k), s.short.X.Row(k))
		energy += matrix.Dot(s.long.Gram.Row(k), s.short.Gram.Row(k))
	}
	return energy
}

// Penalties implements core.Momentum.
func (x *acceleratedDense[T]) Penalties() float64 {
	s := x.solver
	if !s.long.Penalised() && !s.short.Penalised() {
		return 0
	}
	var long, short hals.Sizes
	for k := range s.rank {
		row := s.gather(s.long.X.Slice(k, k+1, 0, s.rows), x.room).Row(0)
		long.Sum += matrix.Dot(row, x.ones)
		long.Squares += s.long.Squares(row)
		row = s.short.X.Row(k)
		short.Sum += matrix.Dot(row, x.ones[:s.cols])
		short.Squares += s.short.Squares(row)
	}
	return s.long.PenaltyOf(long) + s.short.PenaltyOf(short)
}

// Even implements core.Momentum.
func (x *acceleratedDense[T]) Even(ratios *[]float64) {
	s := x.solver
	hals.Even(&s.long, &s.short, ratios, func(k int, c T) { kernel.Scale(s.c.Row(k), c) })
}

// State implements core.Momentum.
func (x *acceleratedDense[T]) State() []state.Field {
	return append(x.solver.State(), state.Named("long before", x.solver.columnsOf(x.solver.long.Before)), state.Named("short before", x.solver.short.Before))
}
