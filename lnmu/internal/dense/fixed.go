package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// Fix implements core.Problem.
func (s *solver[T]) Fix(k0 int) {
	f := s.at.fixed
	v, w := f.Held(k0, s.rank)
	for k := v.From; k < v.To; k++ {
		copy(s.factorV().Row(k), f.Columns.Row(k0+k))
	}
	for k := w.From; k < w.To; k++ {
		copy(s.factorW().Row(k), f.Rows.Row(k0+k-f.Columns.Rows))
	}
	s.heldLong, s.heldShort = v, w
	if !s.tall {
		s.heldLong, s.heldShort = w, v
	}
}

// hold takes the reciprocals of what is held away: a sweep leaves it as it is.
func hold[T kernel.Float](inv []T, held group.Span) {
	clear(inv[held.From:held.To])
}
