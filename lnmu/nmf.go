package lnmu

import (
	"cmp"
	"nmu/internal/combination"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/method"
)

// NMF is nonnegative matrix factorization by hierarchical alternating least squares
// (HALS): min ||M - V W||_F over V, W >= 0 (section 3.1 with Λ = 0).
type NMF struct {
	// Solver is SolverAccelerated or SolverHALS, the paper's, which takes about six times as long to
	// the same error and makes 600 iterations by default. The default is SolverAccelerated, and
	// SolverHALS with fixed factors, which the other one does not take.
	Solver Choice

	// Sweeps is the largest number of HALS sweeps that SolverAccelerated makes for each product
	// with M. By default it follows from the ratio of their costs, up to 10. With three sweeps
	// or more, each block of rows or columns may end its sweeps early. The result then depends
	// on the order of the rows and columns of M.
	Sweeps int

	// SumToOneV makes the entries of each row of V add up to 1 within rounding, and SumToOneW those of
	// each column of W, like the shares of materials in a pixel. At most one of them may be set.
	// A start with other sums is divided by its sums, and the other factor is scaled. Every step finds
	// the best weights with these sums.
	SumToOneV, SumToOneW bool

	// L2V and L2W are l2 penalties: L2V ||V||² + L2W ||W||² is added to ||M - V W||². Both must be
	// positive, or 0. With sums of one, which fix the scale of V and W, either one may be 0. SNMF has l1
	// penalties beside these.
	L2V, L2W float64
}

// Name implements Method.
func (m NMF) Name() string { return combination.NMF.Name }

// Underapproximates implements Method.
func (m NMF) Underapproximates() bool { return combination.NMF.Underapproximates }

func (m NMF) prepare(rank int) (resolved, error) {
	v, w := core.Penalty{L2: m.L2V}, core.Penalty{L2: m.L2W}
	err := cmp.Or(checkSolver(&m.Solver, m.Sweeps, SolverAccelerated), checkPenalties(v, w, m.SumToOneV || m.SumToOneW))
	if err == nil && m.SumToOneV && m.SumToOneW {
		err = fault.Bad("sums of one in both factors; choose one of them")
	}
	a := accelerationOf(m.Solver, m.Sweeps)
	r := resolved{method: m, block: rank, sumV: m.SumToOneV, sumW: m.SumToOneW, penalised: m.SumToOneV || m.SumToOneW, usual: a.iterations(), acceleration: a, solve: a.hals}
	if m.L2V > 0 || m.L2W > 0 {
		r.penalised, r.ridged, r.penalties = true, true, [2]core.Penalty{v, w}
		r.solve = func(l *method.Loop, problem core.Problem) method.Trace {
			p := problem.(core.Penalised)
			l.PenaltyStart(p, v, w)
			p.Penalise(v, w)
			return a.hals(l, p)
		}
	}
	return r, err
}

func (m NMF) forFixed() Method {
	m.Solver = cmp.Or(m.Solver, SolverHALS)
	return m
}
