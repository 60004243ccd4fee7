package lnmu

import "nmu/kernel"

// begin forms what the first HALS step needs from the factors.
func (s *solver[T]) begin() {
	if !s.tall {
		s.pass(kernel.Never, 0, false)
	}
	if s.longFirst() {
		s.formB()
	}
}

// longFirst reports whether a HALS step renews the long factor first: always if M is
// incomplete, as N must follow from the same V and W in both halves of a step, lest the
// error rise.
func (s *solver[T]) longFirst() bool { return s.tall || s.incomplete() }

// step makes one HALS step on N, V first unless M is incomplete.
func (s *solver[T]) step() {
	if s.longFirst() {
		s.pass(kernel.Never, 0, true)
		s.renewShort()
	} else {
		s.renewShort()
		s.pass(kernel.Never, 0, true)
	}
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

// factors is a copy of the factors to fall back on.
type factors[T Float] struct {
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
