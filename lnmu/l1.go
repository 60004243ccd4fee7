package lnmu

import (
	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
)

// The norms that an underapproximation minimises (RNMU.Norm).
//
// L1 is the authors' later variant for the recursion (N. Gillis and R. J.
// Plemmons, Dimensionality reduction, classification, and spectral mixture
// analysis using nonnegative underapproximation, Optical Engineering 50, 2011).
// It is robust against single large entries and gives sparser residuals. With
// N = M - Λ, as for L2, each factor alternates
//
//	v_i <- the minimum over v >= 0 of Σ_j |n_ij - v w_j|
//	w_j <- the minimum over w >= 0 of Σ_i |n_ij - v_i w|
//
// and updates the multipliers by the same rule, Λ <- max(0, Λ - µ_k (M - v w)).
// The minimum is max(0, x) for the weighted median x of the ratios n_ij/w_j with the weights
// w_j, over w_j > 0: the smallest ratio such that the ratios up to it have at least half of
// all weight. If there are several minima, it is the least one. A v_i whose w is zero does
// not change.
//
// A step in the l1 norm takes several times as long as one in the l2 norm, since a median
// takes some passes over a row. RelativeError is that of the Frobenius norm in either case;
// tolerances and target errors refer to it. RelativeL1 decides between restarts.
const (
	L2 Choice = "l2" // the paper's
	L1 Choice = "l1" // RNMU with blocks of one factor only
)

// checkNorm fills in the norm and checks that the other options go with it.
func (m *RNMU) checkNorm() error {
	switch {
	case m.Norm == "":
		m.Norm = L2
	case m.Norm == L1 && m.Block != 1:
		return fault.Bad("norm l1 with blocks of %d; it finds one factor at a time", m.Block)
	case m.Norm == L1 && m.Solver == SolverADMM:
		return fault.Bad("norm l1 with solver admm, whose target is for l2; choose solver lagrangian")
	case m.Norm == L1 && m.Feasible != "":
		return fault.Bad("norm l1 with feasible %s, whose exact step is for l2", m.Feasible)
	}
	return check.Word("norm", m.Norm, combination.Norms)
}
