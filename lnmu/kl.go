package lnmu

import (
	"cmp"
	"math"

	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
)

// KL is nonnegative matrix factorization by the Kullback-Leibler divergence
//
//	min D(M | V W) = Σ m log(m/x) - m + x   over V, W >= 0, with X = V W
//
// up to a constant the negative log-likelihood of counts M with Poisson noise and mean V W. No
// iteration raises the divergence, up to rounding.
//
// Every run ends with a plain multiplicative update of V and then of W. The columns of V W then
// have the sums of the columns of M, and at rank one V W is the minimum. With weights and missing
// entries these are weighted sums over the observed entries, with penalties PenaltyW times the
// column sums of W, and 2 L2W times those of the squares, add to those of V W. With Settings.FixedW the sums agree at a minimum only.
//
// V W below a tiny part of the largest entry of M counts as that part where M is divided by it. So
// the steps go on from factors with V W = 0 where M is positive, as from a start with zeros. D is infinite
// there, and so is RelativeDivergence. SolverCoordinate leaves such a start. SolverMultiplicative
// stays there, and Result.Notes says so.
type KL struct {
	// Solver is SolverMultiplicative, the default, or SolverCoordinate. SolverMultiplicative makes
	// multiplicative updates with extrapolation. It reads a matrix in files once in an iteration,
	// serves all forms of M, and keeps a zero of the start. SolverCoordinate makes such updates in
	// the first half of the iterations, at most 20, and then Newton steps for one entry of a factor
	// after the other; 200 iterations at most by default. It comes nearer to a minimum in less time, and
	// takes starts with zeros. A sparse M must be in the memory of one process, and is
	// copied by columns. A dense M in files is read several times in an iteration.
	Solver Choice

	// PenaltyV and PenaltyW are l1 penalties, both positive or 0: Σ V times PenaltyV and Σ W
	// times PenaltyW are added to D. An optimum depends on the product of the penalties alone.
	PenaltyV, PenaltyW float64

	// L2V and L2W are l2 penalties: L2V ||V||² + L2W ||W||² is added to D. They may come beside
	// PenaltyV and PenaltyW, or in the place of either one. A factor without a penalty beside one with
	// a penalty is refused.
	L2V, L2W float64
}

// Name implements Method.
func (m KL) Name() string { return combination.KL.Name }

// Underapproximates implements Method.
func (m KL) Underapproximates() bool { return combination.KL.Underapproximates }

func (m KL) prepare(rank int) (resolved, error) {
	m.Solver = cmp.Or(m.Solver, SolverMultiplicative)
	v, w := m.penalties()
	if err := cmp.Or(check.Word("solver", m.Solver, combination.Divergences), checkPenalties(v, w, false)); err != nil {
		return resolved{}, err
	}
	res := resolved{method: m, block: rank, penalised: true, ridged: m.L2V > 0 || m.L2W > 0, divergence: true, penalties: [2]core.Penalty{v, w}, solve: m.diverge}
	if m.Solver == SolverCoordinate {
		res.coordinates, res.usual = true, method.CoordinateIterations
	}
	if m.PenaltyV > 0 && !res.ridged {
		res.mild = mildDivergence
	}
	return res, nil
}

func (m KL) penalties() (v, w core.Penalty) {
	return core.Penalty{L1: m.PenaltyV, L2: m.L2V}, core.Penalty{L1: m.PenaltyW, L2: m.L2W}
}

// mildDivergence returns penalties of V and W at which something is left of them, for the largest
// entry of M. If M is multiplied by c², V, W are by c, and so are the penalties of the same optimum.
// V W = 0 is none, but large penalties let V W underflow.
func mildDivergence(largest float64) float64 { return 0.01 * math.Sqrt(largest) }

// diverge minimises the divergence from a start.
func (m KL) diverge(l *method.Loop, problem core.Problem) method.Trace {
	p := problem.(core.Penalised)
	p.Penalise(m.penalties())
	coordinates := m.Solver == SolverCoordinate
	return l.Diverge(p.Diverge(l.Least()), coordinates)
}
