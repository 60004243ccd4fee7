package dense

import "nmu/kernel"

// Begin forms what the first HALS step needs from the factors.
func (s *solver[T]) Begin() {
	if s.tall {
		s.formB()
	} else {
		s.pass(kernel.Never, 0, false)
	}
}

// Step makes one HALS step on N, V first.
func (s *solver[T]) Step() { s.step(kernel.Never, 0) }

// step makes a HALS step, V first, with an update of the multipliers within its pass. If M is
// incomplete, the error may rise with a target from before the step. If M is tall, both halves have
// the target of the V and W before the step. If M is wide, a pass leaves sums for the first half of the
// next step: it forms their target from the new W.
func (s *solver[T]) step(when kernel.When, mu float64) {
	if !s.tall {
		s.renewShort()
	}
	s.retarget = !s.tall && s.cells.Incomplete() && !s.cells.Exact
	s.pass(when, mu, true)
	s.retarget = false
	if s.tall {
		s.renewShort()
	}
}

// update returns when the pass of a HALS step updates the multipliers, and the length of this update:
// over a tall M the pending one before the first step, and over a wide M, of length mu, after the last
// step.
func (s *solver[T]) update(pending, mu float64, first, last bool) (when kernel.When, by float64) {
	switch {
	case s.tall && first && pending != 0:
		return kernel.Before, pending
	case !s.tall && last:
		return kernel.After, mu
	}
	return kernel.Never, 0
}
