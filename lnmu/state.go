package lnmu

import "nmu/kernel"

// What the iterations of each solver change, and so what a checkpoint holds of it. What
// follows from M and the settings alone is not here: it is formed anew before a state
// is put in its place. A solver that forgets a part does not end with the same bits
// when it is resumed, which a test finds at every iteration of every configuration.

func (s *solver[T]) state() []piece {
	return []piece{
		{"long factor", nonnegative[T]{s.columnsOf(s.long)}}, {"short factor", nonnegative[T]{s.short}},
		{"C", s.c}, {"D", s.d}, {"B", s.b}, {"reciprocals of D", s.invD}, {"reciprocals of B", s.invB},
	}
}

func (r *relaxedDense[T]) state() []piece {
	return append(r.solver.state(), piece{"N", r.stateRows()}, piece{"pending", &r.pending})
}

func (r *relaxedL1[T]) state() []piece { return append(r.solver.state(), piece{"N", r.n}) }

func (a *augmentedDense[T]) state() []piece {
	return append(a.solver.state(), piece{"G", a.stateRows()}, piece{"rho", &a.rho}, piece{"pending", &a.pending})
}

func (r *relaxedPriors[T]) state() []piece {
	s := r.relaxedDense.state()
	for _, p := range []*priorStep[T]{r.ofLong, r.ofShort} {
		if p != nil {
			s = append(s, piece{"penalty of a prior", &p.lambda}, piece{"penalty was lowered", &p.lowered})
		}
	}
	return s
}

func (x *acceleratedDense[T]) state() []piece {
	return append(x.solver.state(), piece{"long before", x.columnsOf(x.beforeLong)}, piece{"short before", x.beforeShort})
}

func (c *constrained[T]) state() []piece { return []piece{{"step", &c.step}} }

func (p *penalties) state() []piece {
	return []piece{{"penalty of V", &p.v}, {"penalty of W", &p.w}}
}

// state of a factor, of whose rows a process may have a part: h.
func (f *sparseFactor[T]) state(h any) []piece {
	return []piece{{"factor", nonnegative[T]{h}}, {"Gram matrix", f.gram}, {"reciprocals", f.inv}, {"sum", f.sum}}
}

func (s *sparseSolver[T]) state() []piece {
	return append(s.long.state(s.rowsOf(s.long.h)), s.short.state(s.short.h)...)
}

func (r *relaxedSparse[T]) state() []piece {
	return append(r.sparseSolver.state(), piece{"N", r.stateOfEntries()}, piece{"pending", &r.pending}, piece{"share", &r.share})
}

func (a *augmentedSparse[T]) state() []piece {
	return append(a.relaxedSparse.state(), piece{"rho", &a.rho})
}

func (x *acceleratedSparse[T]) state() []piece {
	return append(x.sparseSolver.state(), piece{"long before", x.rowsOf(x.long.before)}, piece{"short before", x.short.before})
}

// nonnegative is a matrix, or the part that a process has of one, as a part of a state whose
// numbers must be those of a factor.
type nonnegative[T Float] struct{ at any }

func (x nonnegative[T]) encode(e *encoder, name string) { e.do(piece{name, x.at}) }

func (x nonnegative[T]) decode(d *decoder, name string) {
	d.do(piece{name, x.at})
	if d.failed != nil {
		return
	}
	m, ok := x.at.(kernel.Matrix[T])
	if !ok {
		m = x.at.(parted[T]).x
	}
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if !(v >= 0) || v > T(largest[T]()) {
				d.damaged("%s has %v", name, v)
				return
			}
		}
	}
}
