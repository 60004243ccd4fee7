package dense

// Fix implements core.Problem.
func (s *solver[T]) Fix(k0 int) {
	f := s.at.fixed
	v, w := s.sides()
	v.Held, w.Held = f.Held(k0, s.rank)
	for k := v.Held.From; k < v.Held.To; k++ {
		v.Set(k, f.Columns.Row(k0+k))
	}
	for k := w.Held.From; k < w.Held.To; k++ {
		w.Set(k, f.Rows.Row(k0+k-f.Columns.Rows))
	}
}
