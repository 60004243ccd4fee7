package lnmu

import (
	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
)

// RNMU is recursive underapproximation, R-NMU: Algorithm L-NMU finds one factor, or Block of
// them, and goes on with the residual (section 2.1). The first k factors are the result for
// rank k.
type RNMU struct {
	Lagrangian

	// Block is the number of factors that are found together; default 1. With all of
	// them it is GNMU.
	Block int

	// Norm is the norm that is minimised; default L2. See L1.
	Norm Choice

	// Priors hold prior knowledge: sparse factors, or factors that are smooth pictures. They
	// need blocks of one factor, the norm L2 and SolverLagrangian.
	Priors
}

// Name implements Method.
func (m RNMU) Name() string { return combination.RNMU.Name }

// Underapproximates implements Method.
func (m RNMU) Underapproximates() bool { return combination.RNMU.Underapproximates }

func (m RNMU) prepare(rank int) (resolved, error) {
	if err := check.Count("block", &m.Block, 1); err != nil {
		return resolved{}, err
	}
	m.Block = min(m.Block, rank)
	if err := m.check(m.Block); err != nil {
		return resolved{}, err
	}
	if err := m.checkNorm(); err != nil {
		return resolved{}, err
	}
	if err := m.checkPriors(); err != nil {
		return resolved{}, err
	}
	return resolved{method: m, block: m.Block, priors: m.Priors, lagrange: &m.Lagrangian, usual: m.iterations(m.Block), norm: m.Norm, solve: m.relax(m.Norm, m.Priors)}, nil
}
