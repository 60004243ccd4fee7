package lnmu

import "nmu/lnmu/internal/core"

// forPartial refuses what is not for an incomplete matrix.
func (p resolved) forPartial(s Settings) error {
	d, weighted := p.method.Describe(), s.Weights != nil
	switch {
	case !s.incomplete():
	case !d.Partial:
		return core.Bad("method %s with missing entries or weights; choose %s", d.Name, names(func(d Description) bool { return d.Partial }))
	case p.priors.any():
		return core.Bad("penalties, target sparsities or smoothness of %s with missing entries or weights; leave them out", d.Name)
	case s.Fixed.any():
		return core.Bad("fixed factors or a baseline with missing entries or weights; leave them out")
	case weighted && p.lagrange.Solver == SolverADMM:
		return core.Bad("weights with solver admm, whose slack has none; choose solver lagrangian")
	case weighted && p.norm == L1:
		return core.Bad("weights with norm l1; choose l2")
	}
	return nil
}
