package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
)

// Begin forms what the first HALS step needs from the factors.
func (s *solver[T]) Begin() {
	if s.tall {
		s.formB()
	} else {
		s.pass(kernel.Never, 0, false)
	}
}

// Step makes one HALS step on N, V first. If M is incomplete, the error may rise with a target
// from before the step. If M is tall, both halves have the target of the V and W before the step.
// If M is wide, a pass leaves sums for the first half of the next step: it forms their target
// from the new W.
func (s *solver[T]) Step() {
	if s.tall {
		s.pass(kernel.Never, 0, true)
		s.renewShort()
	} else {
		s.renewShort()
		s.retarget = s.cells.Incomplete() && !s.cells.Exact
		s.pass(kernel.Never, 0, true)
		s.retarget = false
	}
}

// sumToOne makes the steps keep the sums of the rows of V, or else of the columns of W, at 1.
func (s *solver[T]) sumToOne(v bool) {
	all := hals.Simplices(s.Size(), s.rank)
	if s.tall == v {
		s.simplexLong = all
	} else {
		s.simplexShort = all
	}
}

// Summed implements core.Problem.
func (s *solver[T]) Summed() bool {
	side := s.summedSide()
	if side.Rows == 0 {
		return true
	}
	summed := true
	for i := range side.Cols {
		summed = summed && hals.HasSum(side.Data[i:], s.rank, side.Stride)
	}
	return !group.NewVote(s.share).Any(!summed)
}

// SetSums implements core.Problem.
func (s *solver[T]) SetSums() {
	side := s.summedSide()
	for i := range side.Cols {
		hals.SetSum(side.Data[i:], s.rank, side.Stride)
	}
}

// summedSide returns the factor whose columns must have the sum 1, or no matrix if there is none.
func (s *solver[T]) summedSide() kernel.Matrix[T] {
	switch {
	case s.simplexLong != nil:
		return s.long
	case s.simplexShort != nil:
		return s.short
	}
	return kernel.Matrix[T]{}
}

// factorV returns Vᵀ (r x m).
func (s *solver[T]) factorV() kernel.Matrix[T] {
	if s.tall {
		return s.long
	}
	return s.short
}

// factorW returns W (r x n).
func (s *solver[T]) factorW() kernel.Matrix[T] {
	if s.tall {
		return s.short
	}
	return s.long
}

// factors is a copy of the factors, to restore them from.
type factors[T kernel.Float] struct {
	s               *solver[T]
	long, short     kernel.Matrix[T]
	saving, putting func(member, row int) // made once: save allocates nothing
}

func (s *solver[T]) keep() factors[T] {
	f := factors[T]{s: s, long: kernel.NewMatrix[T](s.rank, s.rows), short: kernel.NewMatrix[T](s.rank, s.cols)}
	f.saving = func(_, k int) { copy(f.long.Row(k), s.long.Row(k)); copy(f.short.Row(k), s.short.Row(k)) }
	f.putting = func(_, k int) { copy(s.long.Row(k), f.long.Row(k)); copy(s.short.Row(k), f.short.Row(k)) }
	return f
}

func (f factors[T]) save()    { f.s.Run(f.s.rank, f.saving) }
func (f factors[T]) restore() { f.s.Run(f.s.rank, f.putting) }
