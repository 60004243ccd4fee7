package lnmu

import (
	"cmp"
	"fmt"
	"math"
	"nmu/internal/combination"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/method"
)

// GNMU is global underapproximation, G-NMU: Algorithm L-NMU at rank r finds all
// factors at once, min ||M - V W||_F over V, W >= 0 with V W <= M.
type GNMU struct {
	// Solver is SolverLagrangian, the default, for Algorithm L-NMU, or SolverADMM for
	// the augmented Lagrangian, which takes at most 30 iterations for one factor and
	// 60 for several at a time, and 10 more for every time that ρ is doubled, unless
	// Settings.Iterations says otherwise.
	Solver Choice

	// Inner is T, the number of HALS steps between two updates of the
	// multipliers; default 2 (section 4.2), with SolverADMM 1 for one factor at a time
	// and 4 for several.
	Inner int

	// Sweeps is the number of HALS sweeps over V, and over W, for each product with N,
	// where factors are found together; default 1, as in the paper. A single factor is
	// exact after one.
	Sweeps int

	// Rho is the penalty ρ of SolverADMM, from 1e-3 to 1e6, default 1. A larger ρ makes V W
	// exceed M less, and the error larger. With ρ < 1 the solver may not converge on dense
	// data. A ρ above 1 begins as 1 and is doubled every 10 iterations.
	Rho float64

	// ResidualTolerance ends the iterations of SolverADMM, of each block in a recursion, when
	// ||R - V W - S|| <= ResidualTolerance ||M||. R is the matrix that the block approximates,
	// S >= 0 the slack. Default 0.005. It is checked every 5 iterations, once ρ is Rho.
	ResidualTolerance float64

	// Multipliers says how the multipliers of Algorithm L-NMU begin, default
	// MultipliersZero. StepOffset, default 0, shifts the sequence of step lengths. See
	// MultipliersStart for the choices of other programs.
	Multipliers Choice
	StepOffset  int

	// StepLength is the sequence µ_k of step lengths of the updates of Algorithm L-NMU,
	// k = 1, 2, ...; default 1/(k + StepOffset) (section 3.2). Each restart calls it in the
	// order of k; restarts that run side by side call it concurrently. If it panics, Factor
	// panics with the same value.
	StepLength func(k int) float64

	// ZeroMultiplier is g of the last remark of section 3, for a CSR: in
	// iteration k = 1, 2, ... the multiplier of every zero of M is ZeroMultiplier(k)
	// times the largest entry of M (of the residual, in a recursion). It must be
	// nonnegative and must not decrease. Default: like ρ^k from the mean of M to its
	// largest entry, see CSR. As StepLength, it may be called concurrently.
	ZeroMultiplier func(k int) float64

	// Feasible makes V W <= M exact; default "", not at all. FeasibleSteps is the
	// largest number of exact steps that change the factors, default 1; see FeasibleFinal.
	Feasible      Choice
	FeasibleSteps int
}

// Name implements Method.
func (m GNMU) Name() string { return combination.GNMU.Name }

// Underapproximates implements Method.
func (m GNMU) Underapproximates() bool { return combination.GNMU.Underapproximates }

func (m GNMU) prepare(rank int) (resolved, error) {
	err := m.check(rank)
	return resolved{method: m, block: rank, lagrange: &m, usual: m.iterations(rank), solve: m.relax(L2, [2]core.Prior{})}, err
}

// minRho and maxRho bound GNMU.Rho: they, their reciprocals and squares, and more, are
// within the range of float32.
const (
	minRho = 1e-3
	maxRho = 1e6
)

// relax returns what runs the solver that was chosen, for options with all defaults.
func (m GNMU) relax(norm Choice, priors [2]core.Prior) func(*method.Loop, core.Problem) method.Trace {
	o := method.Lagrangian{Inner: m.Inner, StepLength: m.StepLength, ZeroMultiplier: m.ZeroMultiplier}
	r := core.Relaxation{FromStart: m.Multipliers == MultipliersStart, L1: norm == L1, V: priors[0], W: priors[1]}
	if m.Solver == SolverADMM {
		o.Rho, o.ResidualTolerance = m.Rho, m.ResidualTolerance
		r.Rho = o.Penalty(1)
	}
	return func(loop *method.Loop, p core.Problem) method.Trace {
		relaxed, mean := p.Relax(r)
		return loop.Relax(relaxed, o, mean)
	}
}

// check fills in the defaults for blocks of so many factors.
func (m *GNMU) check(block int) error {
	if err := m.checkSolver(); err != nil {
		return err
	}
	if m.Feasible == "" && m.FeasibleSteps > 0 {
		return fault.Bad("%d exact steps without feasible; choose %s", m.FeasibleSteps, check.Either(combination.Feasibles))
	}
	if m.Feasible != "" {
		if err := check.Word("way to be feasible", m.Feasible, combination.Feasibles); err != nil {
			return err
		}
	}
	steps := 2
	switch {
	case m.Solver == SolverADMM && block == 1:
		steps = 1
	case m.Solver == SolverADMM:
		steps = 4
	}
	err := cmp.Or(check.Count("number of steps per update", &m.Inner, steps), check.Count("number of exact steps", &m.FeasibleSteps, 1), check.Count("number of sweeps", &m.Sweeps, 1), check.Count("step offset", &m.StepOffset, 0))
	if m.Feasible == "" {
		m.FeasibleSteps = 0
	}
	if m.StepLength == nil && m.Solver == SolverLagrangian {
		offset := m.StepOffset
		m.StepLength = func(k int) float64 { return 1 / float64(k+offset) }
	}
	return err
}

// checkSolver fills in the solver and what it alone has, and refuses what is another's.
func (m *GNMU) checkSolver() error {
	if m.Solver == "" {
		m.Solver = SolverLagrangian
	}
	if err := check.Word("solver", m.Solver, combination.Relaxations); err != nil {
		return err
	}
	for _, x := range []struct {
		given  bool
		option string
		solver Choice
	}{
		{m.Multipliers != "", fmt.Sprintf("multipliers %s", m.Multipliers), SolverLagrangian},
		{m.StepOffset != 0, fmt.Sprintf("step offset %d", m.StepOffset), SolverLagrangian},
		{m.StepLength != nil, "step lengths", SolverLagrangian},
		{m.Rho != 0, fmt.Sprintf("penalty rho %v", m.Rho), SolverADMM},
		{m.ResidualTolerance != 0, fmt.Sprintf("residual tolerance %v", m.ResidualTolerance), SolverADMM},
	} {
		if x.given && x.solver != m.Solver {
			return fault.Bad("%s with solver %s; leave it out, or choose solver %s", x.option, m.Solver, x.solver)
		}
	}
	if m.Solver == SolverADMM {
		if m.Rho != 0 && !(m.Rho >= minRho && m.Rho <= maxRho) {
			return fault.Bad("penalty rho %v; choose a number from %v to %v", m.Rho, minRho, maxRho)
		}
		m.Rho, m.ResidualTolerance = cmp.Or(m.Rho, 1), cmp.Or(m.ResidualTolerance, 0.005)
		return check.Number("residual tolerance", m.ResidualTolerance, 1)
	}
	m.Multipliers = cmp.Or(m.Multipliers, MultipliersZero)
	if m.StepOffset > math.MaxInt32 { // beyond that, steps are lost in rounding
		return fault.Bad("step offset %d; choose 0 to %d", m.StepOffset, math.MaxInt32)
	}
	return check.Word("multipliers", m.Multipliers, combination.Multipliers)
}

// iterations returns the default of the largest number of iterations for blocks of so many
// factors, or 0 if the solver is another one.
func (m *GNMU) iterations(block int) int {
	if m.Solver != SolverADMM {
		return 0
	}
	return method.AugmentedIterations(m.Rho, block)
}
