package lnmu

import "nmu/lnmu/internal/state"

// What the iterations of each solver change, and so what a checkpoint holds of it. What
// follows from M and the settings alone is not here: it is formed anew before a state
// is put in its place. A solver that forgets a part does not end with the same bits
// when it is resumed, which a test finds at every iteration of every configuration.

func (s *solver[T]) state() []state.Field {
	return []state.Field{
		state.Factor("long factor", s.columnsOf(s.long)), state.Factor("short factor", s.short),
		state.Named("C", s.c), state.Named("D", s.d), state.Named("B", s.b), state.Named("reciprocals of D", s.invD), state.Named("reciprocals of B", s.invB),
	}
}

func (r *relaxedDense[T]) state() []state.Field {
	return append(r.solver.state(), state.Named("N", r.stateRows()), state.Named("pending", &r.pending))
}

func (r *relaxedL1[T]) state() []state.Field { return append(r.solver.state(), state.Named("N", r.n)) }

func (a *augmentedDense[T]) state() []state.Field {
	return append(a.solver.state(), state.Named("G", a.stateRows()), state.Named("rho", &a.rho), state.Named("pending", &a.pending))
}

func (r *relaxedPriors[T]) state() []state.Field {
	s := r.relaxedDense.state()
	for _, p := range []*priorStep[T]{r.ofLong, r.ofShort} {
		if p != nil {
			s = append(s, state.Named("penalty of a prior", &p.lambda), state.Named("penalty was lowered", &p.lowered))
		}
	}
	return s
}

func (x *acceleratedDense[T]) state() []state.Field {
	return append(x.solver.state(), state.Named("long before", x.columnsOf(x.beforeLong)), state.Named("short before", x.beforeShort))
}

func (c *constrained[T]) state() []state.Field { return []state.Field{state.Named("step", &c.step)} }

func (p *penalties) state() []state.Field {
	return []state.Field{state.Named("penalty of V", &p.v), state.Named("penalty of W", &p.w)}
}

// state of a factor, of whose rows a process may have a part: h.
func (f *sparseFactor[T]) state(h any) []state.Field {
	return []state.Field{state.Factor("factor", h), state.Named("Gram matrix", f.gram), state.Named("reciprocals", f.inv), state.Named("sum", f.sum)}
}

func (s *sparseSolver[T]) state() []state.Field {
	return append(s.long.state(s.rowsOf(s.long.h)), s.short.state(s.short.h)...)
}

func (r *relaxedSparse[T]) state() []state.Field {
	return append(r.sparseSolver.state(), state.Named("N", r.stateOfEntries()), state.Named("pending", &r.pending), state.Named("share", &r.share))
}

func (a *augmentedSparse[T]) state() []state.Field {
	return append(a.relaxedSparse.state(), state.Named("rho", &a.rho))
}

func (x *acceleratedSparse[T]) state() []state.Field {
	return append(x.sparseSolver.state(), state.Named("long before", x.rowsOf(x.long.before)), state.Named("short before", x.short.before))
}
