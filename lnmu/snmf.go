package lnmu

import (
	"cmp"
	"math"

	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/method"
)

// SNMF is NMF with l1 penalties on V and W (section 4.1): fixed penalties, or penalties that
// are adapted to target parts of zeros. An optimum depends on the product of the penalties
// alone. Fixed l2 penalties may come beside fixed l1 penalties.
type SNMF struct {
	// PenaltyV and PenaltyW are the penalties µ_V and µ_W, both positive. Without them,
	// SparsityV and SparsityW are the targets s(V) and s(W), up to 1, to which the penalties
	// are adapted (section 4.4). A factor with target 0 has the penalty of the other one.
	PenaltyV, PenaltyW   float64
	SparsityV, SparsityW float64

	// L2V and L2W are l2 penalties, those of NMF. They may come beside PenaltyV and PenaltyW, or in
	// the place of either one.
	L2V, L2W float64

	// Solver and Sweeps are those of NMF, with the same defaults for fixed penalties. Target
	// sparsities need SolverHALS, which is their default.
	Solver Choice
	Sweeps int
}

// Name implements Method.
func (m SNMF) Name() string { return combination.SNMF.Name }

// Underapproximates implements Method.
func (m SNMF) Underapproximates() bool { return combination.SNMF.Underapproximates }

func (m SNMF) prepare(rank int) (resolved, error) {
	v, w := m.fixed()
	fixed, targets := m.PenaltyV != 0 || m.PenaltyW != 0, m.SparsityV > 0 || m.SparsityW > 0
	ridged := m.L2V != 0 || m.L2W != 0
	err := cmp.Or(check.Number("target sparsity of V", m.SparsityV, 1), check.Number("target sparsity of W", m.SparsityW, 1))
	if err == nil && !(fixed && targets) {
		err = checkPenalties(v, w, false)
	}
	if err != nil {
		return resolved{}, err
	}
	switch {
	case fixed && targets:
		return resolved{}, fault.Bad("both penalties and target sparsities; choose one of them")
	case ridged && targets:
		return resolved{}, fault.Bad("both l2 penalties and target sparsities, whose l1 penalties change the scale of V and W; set the penalties of V and W")
	case !fixed && !ridged && !targets:
		return resolved{}, fault.Bad("method snmf needs penalties or target sparsities")
	}
	byDefault := SolverAccelerated
	if targets {
		byDefault = SolverHALS
	}
	if err := checkSolver(&m.Solver, m.Sweeps, byDefault); err != nil {
		return resolved{}, err
	}
	if targets && m.Solver == SolverAccelerated {
		return resolved{}, fault.Bad("solver %s with target sparsities, towards which the penalties change in each iteration; set the penalties", m.Solver)
	}
	a := accelerationOf(m.Solver, m.Sweeps)
	res := resolved{method: m, block: rank, penalised: true, ridged: ridged, targets: targets, usual: a.iterations(), acceleration: a, solve: m.penalised}
	if !targets {
		res.penalties = [2]core.Penalty{v, w}
	}
	if fixed && !ridged {
		res.mild = mildSquared
	}
	return res, nil
}

// mildSquared returns penalties of V and W at which something is left of them, for the largest entry
// of M. If M is multiplied by c², V, W are by c, and the penalties must be by c³. In units of L^(3/2),
// with the largest entry L of M:
//
//   - Up to (2/3)^(3/2) = 0.54 a factor of two positive entries makes ||M - V W||² smaller by more than its
//     penalty, so that V = W = 0 is no optimum.
//   - From random starts something was left up to at least 0.5 for matrices of positive entries, 0.03 if one
//     in 100 is positive, and 0.016 if one in 500 is (from 30 x 20 at rank 3 to 2000 x 500 at rank 5).
func mildSquared(largest float64) float64 { return 0.01 * largest * math.Sqrt(largest) }

// fixed returns the fixed penalties on V and W.
func (m SNMF) fixed() (v, w core.Penalty) {
	return core.Penalty{L1: m.PenaltyV, L2: m.L2V}, core.Penalty{L1: m.PenaltyW, L2: m.L2W}
}

// penalised runs the chosen solver.
func (m SNMF) penalised(l *method.Loop, problem core.Problem) method.Trace {
	p := problem.(core.Penalised)
	v, w := m.fixed()
	if v != (core.Penalty{}) {
		l.PenaltyStart(p, v, w)
	}
	if m.Solver == SolverAccelerated {
		p.Penalise(v, w)
		tr := l.Accelerate(p.Accelerate(m.Sweeps))
		p.ClearLost()
		return tr
	}
	return l.Penalise(p, method.Penalties{V: v, W: w, TargetV: m.SparsityV, TargetW: m.SparsityW})
}
