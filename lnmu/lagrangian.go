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

// Lagrangian holds the options that GNMU and RNMU share: those of the relaxations of V W <= M
// and of the exact steps.
type Lagrangian struct {
	// Solver is SolverLagrangian, the default, for Algorithm L-NMU, or SolverADMM for
	// the augmented Lagrangian, which takes at most 30 iterations for one factor and
	// 60 for several at a time, and 10 more for every time that ρ is doubled, unless
	// Settings.Iterations says otherwise.
	Solver Choice

	// StepsPerUpdate is T, the number of HALS steps between two updates of the
	// multipliers; default 2 (section 4.2), with SolverADMM 1 for one factor at a time
	// and 4 for several.
	StepsPerUpdate int

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

	// Feasible makes V W <= M exact; default "", not at all. ExactSteps is the
	// largest number of exact steps that change the factors, default 1; see FeasibleFinal.
	Feasible   Choice
	ExactSteps int
}

// The multipliers Λ of Algorithm L-NMU before its first iteration
// (Lagrangian.Multipliers): zero, or those that the start violates.
//
// The paper leaves the choice open, and the programs that are in use differ in it and
// in the first step length. From the first singular vectors and with StepsPerUpdate 1,
// one factor at a time,
//
//	MultipliersStart, StepOffset 1   is the authors' program recursiveNMU (N. Gillis and
//	                                 F. Glineur; N. Gillis and R. J. Plemmons, 2011)
//	MultipliersStart, StepOffset 0   is that of MCRA (Monte Carlo Risk Assessment), with
//	                                 Priors.ThresholdV as its sparseness
//
// up to rounding, if the start is theirs (FactorFrom) and as long as no factor vanishes
// on the way. The vectors of InitSVD are not exact: V W then has about five digits in
// common with theirs, and fewer with a penalty.
const (
	MultipliersZero  Choice = "zero"  // Λ = 0
	MultipliersStart Choice = "start" // Λ = max(0, V W - M)
)

// minRho and maxRho bound Lagrangian.Rho: they, their reciprocals and squares, and more, are
// within the range of float32.
const (
	minRho = 1e-3
	maxRho = 1e6
)

// relax returns what runs the solver that was chosen, for options with all defaults.
func (l Lagrangian) relax(norm Choice, priors Priors) func(*method.Loop, core.Problem) method.Trace {
	o := method.Lagrangian{StepsPerUpdate: l.StepsPerUpdate, StepLength: l.StepLength, ZeroMultiplier: l.ZeroMultiplier}
	r := core.Relaxation{FromStart: l.Multipliers == MultipliersStart, L1: norm == L1, V: priors.of(true), W: priors.of(false)}
	if l.Solver == SolverADMM {
		o.Rho, o.ResidualTolerance = l.Rho, l.ResidualTolerance
		r.Rho = o.Penalty(1)
	}
	return func(loop *method.Loop, p core.Problem) method.Trace {
		relaxed, mean := p.Relax(r)
		return loop.Relax(relaxed, o, mean)
	}
}

// check fills in the defaults for blocks of so many factors.
func (l *Lagrangian) check(block int) error {
	if err := l.checkSolver(); err != nil {
		return err
	}
	if l.Feasible == "" && l.ExactSteps > 0 {
		return fault.Bad("%d exact steps without feasible; choose %s", l.ExactSteps, check.Either(combination.Feasibles))
	}
	if l.Feasible != "" {
		if err := check.Word("way to be feasible", l.Feasible, combination.Feasibles); err != nil {
			return err
		}
	}
	steps := 2
	switch {
	case l.Solver == SolverADMM && block == 1:
		steps = 1
	case l.Solver == SolverADMM:
		steps = 4
	}
	err := cmp.Or(check.Count("number of steps per update", &l.StepsPerUpdate, steps), check.Count("number of exact steps", &l.ExactSteps, 1), check.Count("number of sweeps", &l.Sweeps, 1), check.Count("step offset", &l.StepOffset, 0))
	if l.Feasible == "" {
		l.ExactSteps = 0
	}
	if l.StepLength == nil && l.Solver == SolverLagrangian {
		offset := l.StepOffset
		l.StepLength = func(k int) float64 { return 1 / float64(k+offset) }
	}
	return err
}

// checkSolver fills in the solver and what it alone has, and refuses what is another's.
func (l *Lagrangian) checkSolver() error {
	if l.Solver == "" {
		l.Solver = SolverLagrangian
	}
	if err := check.Word("solver", l.Solver, combination.Relaxations); err != nil {
		return err
	}
	for _, x := range []struct {
		given  bool
		option string
		solver Choice
	}{
		{l.Multipliers != "", fmt.Sprintf("multipliers %s", l.Multipliers), SolverLagrangian},
		{l.StepOffset != 0, fmt.Sprintf("step offset %d", l.StepOffset), SolverLagrangian},
		{l.StepLength != nil, "step lengths", SolverLagrangian},
		{l.Rho != 0, fmt.Sprintf("penalty rho %v", l.Rho), SolverADMM},
		{l.ResidualTolerance != 0, fmt.Sprintf("residual tolerance %v", l.ResidualTolerance), SolverADMM},
	} {
		if x.given && x.solver != l.Solver {
			return fault.Bad("%s with solver %s; leave it out, or choose solver %s", x.option, l.Solver, x.solver)
		}
	}
	if l.Solver == SolverADMM {
		if l.Rho != 0 && !(l.Rho >= minRho && l.Rho <= maxRho) {
			return fault.Bad("penalty rho %v; choose a number from %v to %v", l.Rho, minRho, maxRho)
		}
		l.Rho, l.ResidualTolerance = cmp.Or(l.Rho, 1), cmp.Or(l.ResidualTolerance, 0.005)
		return check.Number("residual tolerance", l.ResidualTolerance, 1)
	}
	l.Multipliers = cmp.Or(l.Multipliers, MultipliersZero)
	if l.StepOffset > math.MaxInt32 { // beyond that, steps are lost in rounding
		return fault.Bad("step offset %d; choose 0 to %d", l.StepOffset, math.MaxInt32)
	}
	return check.Word("multipliers", l.Multipliers, combination.Multipliers)
}

// iterations returns the default of the largest number of iterations for blocks of so many
// factors, or 0 if the solver is another one.
func (l *Lagrangian) iterations(block int) int {
	if l.Solver != SolverADMM {
		return 0
	}
	return method.AugmentedIterations(l.Rho, block)
}
