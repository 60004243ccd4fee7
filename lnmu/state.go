package lnmu

import "nmu/lnmu/internal/state"

// What the iterations of each solver change, and so what a checkpoint holds of it. What
// follows from M and the settings alone is not here: it is formed anew before a state
// is put in its place. A solver that forgets a part does not end with the same bits
// when it is resumed, which a test finds at every iteration of every configuration.

func (s *solver[T]) State() []state.Field {
	return []state.Field{
		state.Factor("long factor", s.columnsOf(s.long)), state.Factor("short factor", s.short),
		state.Named("C", s.c), state.Named("D", s.d), state.Named("B", s.b), state.Named("reciprocals of D", s.invD), state.Named("reciprocals of B", s.invB),
	}
}

// state of a factor, of whose rows a process may have a part: h.
func (f *sparseFactor[T]) state(h any) []state.Field {
	return []state.Field{state.Factor("factor", h), state.Named("Gram matrix", f.gram), state.Named("reciprocals", f.inv), state.Named("sum", f.sum)}
}

func (s *sparseSolver[T]) State() []state.Field {
	return append(s.long.state(s.rowsOf(s.long.h)), s.short.state(s.short.h)...)
}

func (r *relaxedSparse[T]) State() []state.Field {
	return append(r.sparseSolver.State(), state.Named("N", r.stateOfEntries()), state.Named("pending", &r.pending), state.Named("share", &r.share))
}

func (a *augmentedSparse[T]) State() []state.Field {
	return append(a.relaxedSparse.State(), state.Named("rho", &a.rho))
}

func (x *acceleratedSparse[T]) State() []state.Field {
	return append(x.sparseSolver.State(), state.Named("long before", x.rowsOf(x.long.before)), state.Named("short before", x.short.before))
}
