package lnmu

// GNMU is global underapproximation, G-NMU: Algorithm L-NMU at rank r finds all
// factors at once, min ||M - V W||_F over V, W >= 0 with V W <= M.
type GNMU struct {
	Lagrangian
}

// Describe implements Method.
func (m GNMU) Describe() Description {
	return Description{
		Name:              "gnmu",
		Title:             "global underapproximation, V W <= M: all factors at once",
		Problem:           "the same under V W <= M, by Lagrangian relaxation (Algorithm L-NMU)",
		Factors:           "sparse",
		Iterations:        240,
		Underapproximates: true,
		Fixes:             true,
		Sparse:            true,
		Partial:           true,
		Distributed:       true,
		Options: func() (Method, []Option) {
			m := m
			return &m, m.Lagrangian.options()
		},
	}
}

func (m GNMU) prepare(rank int) (resolved, error) {
	err := m.check(rank)
	return resolved{method: m, block: rank, lagrange: &m.Lagrangian, most: m.iterations(rank)}, err
}

// underapproximate runs the solver that was chosen on s, whose n and factors are set.
func (a *worker[T]) underapproximate(s *solver[T], report func(k int)) trace {
	r := a.relaxed(s)
	tr := a.relax(r, a.errorOf(s), report)
	if p, ok := r.(*relaxedPriors[T]); ok {
		tr.lowered = p.lowered()
	}
	return tr
}

// relaxed returns the relaxation that was chosen.
func (a *worker[T]) relaxed(s *solver[T]) relaxation {
	if a.lagrange.Solver == SolverADMM {
		return s.newAugmented(a.lagrange)
	}
	r := s.newLagrangian()
	if a.lagrange.Multipliers == MultipliersStart {
		r.startMultipliers()
	}
	if a.priors.any() {
		return r.with(a.priors)
	}
	return r
}
