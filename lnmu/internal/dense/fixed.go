package dense

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
