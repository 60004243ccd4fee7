package lnmu

import (
	"cmp"
	"math"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/combination"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
)

// SNMF is NMF with l1 penalties on V and W (section 4.1): fixed penalties, or penalties that
// are adapted to target parts of zeros. An optimum depends on the product of the penalties
// alone.
type SNMF struct {
	// PenaltyV and PenaltyW are the penalties µ_V and µ_W, both positive. Without them,
	// SparsityV and SparsityW are the targets s(V) and s(W), up to 1, to which the penalties
	// are adapted (section 4.4). A factor with target 0 has the penalty of the other one.
	PenaltyV, PenaltyW   float64
	SparsityV, SparsityW float64

	// Solver and Sweeps are those of NMF, with the same defaults for fixed penalties.
	// SolverAccelerated is for fixed penalties alone.
	Solver Solver
	Sweeps int
}

// oneSided is the error of a penalty on one factor.
const oneSided = "a penalty on one factor alone is no bound, as the other one can grow instead; set both"

// Describe implements Method.
func (m SNMF) Describe() Description {
	return describe(Description{
		Name:       "snmf",
		Title:      "nonnegative matrix factorization with l1 penalties",
		Problem:    "NMF with l1 penalties on V and W, by HALS: fixed (`--penalty-v`, `--penalty-w`), or adapted to given shares of zeros (`--sparsity-v`, `--sparsity-w`)",
		Factors:    "about as sparse as requested",
		Iterations: 600,
		needs:      []combination.Feature{combination.Penalties},
		Method:     m,
		Words:      map[string][]string{"Solver": check.Texts(solvers)},
	})
}

func (m SNMF) prepare(rank int) (resolved, error) {
	err := cmp.Or(
		check.Number("penalty of V", m.PenaltyV, math.Inf(1)), check.Number("penalty of W", m.PenaltyW, math.Inf(1)),
		check.Number("target sparsity of V", m.SparsityV, 1), check.Number("target sparsity of W", m.SparsityW, 1),
	)
	if err != nil {
		return resolved{}, err
	}
	fixed, targets := m.PenaltyV > 0 || m.PenaltyW > 0, m.SparsityV > 0 || m.SparsityW > 0
	switch {
	case fixed && targets:
		return resolved{}, core.Bad("both penalties and target sparsities; choose one of them")
	case fixed && (m.PenaltyV == 0 || m.PenaltyW == 0):
		return resolved{}, core.Bad(oneSided)
	case !fixed && !targets:
		return resolved{}, core.Bad("method snmf needs penalties or target sparsities")
	}
	if err := checkSolver(&m.Solver, m.Sweeps); err != nil {
		return resolved{}, err
	}
	if targets && m.Solver == SolverAccelerated {
		return resolved{}, core.Bad("solver %s with target sparsities, towards which the penalties change in each iteration; set the penalties", m.Solver)
	}
	a := accelerationOf(m.Solver, m.Sweeps)
	return resolved{method: m, block: rank, penalised: true, most: a.iterations(), acceleration: a, solve: m.penalised}, nil
}

func (m SNMF) forIncomplete() Method {
	if m.SparsityV == 0 && m.SparsityW == 0 {
		m.Solver = cmp.Or(m.Solver, SolverAccelerated)
	}
	return m
}

// penalised runs the chosen solver.
func (m SNMF) penalised(l *method.Loop, problem core.Problem) method.Trace {
	p := problem.(core.Penalised)
	if m.PenaltyV > 0 {
		l.PenaltyStart(p, m.PenaltyV, m.PenaltyW)
	}
	if m.Solver == SolverAccelerated {
		p.Penalise(m.PenaltyV, m.PenaltyW)
		tr := l.Accelerate(p.Accelerate(m.Sweeps))
		p.ClearLost()
		return tr
	}
	return l.Penalise(p, method.Penalties{V: m.PenaltyV, W: m.PenaltyW, TargetV: m.SparsityV, TargetW: m.SparsityW})
}
