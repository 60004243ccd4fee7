package lnmu

import (
	"math"

	"nmu/lnmu/internal/core"
)

// Multipliers is what the multipliers Λ of Algorithm L-NMU are before its first
// iteration.
//
// The paper leaves the choice open, and the programs that are in use differ in it and
// in the first step length. From the first singular vectors and with StepsPerUpdate 1,
// one factor at a time,
//
//	MultipliersStart, StepOffset 1   is the authors' program recursiveNMU (N. Gillis and
//	                                 F. Glineur; N. Gillis and R. J. Plemmons, 2011)
//	MultipliersStart, StepOffset 0   is that of MCRA (Monte Carlo Risk Assessment), with
//	                                 Priors.PenaltyV as its sparseness
//
// up to rounding, if the start is theirs (FactorFrom) and as long as no factor vanishes
// on the way. The vectors of InitSVD are not exact: V W then has about five digits in
// common with theirs, and fewer with a penalty.
type Multipliers string

const (
	MultipliersZero  Multipliers = "zero"  // Λ = 0
	MultipliersStart Multipliers = "start" // Λ = max(0, V W - M), those that the start violates
)

var multipliers = []Multipliers{MultipliersZero, MultipliersStart}

// checkMultipliers fills in what the multipliers begin with, and refuses what the
// augmented Lagrangian has no use for.
func (l *Lagrangian) checkMultipliers() error {
	if l.Solver == SolverADMM {
		switch {
		case l.Multipliers != "":
			return core.Bad("multipliers %s with solver admm, which has multipliers of its own; leave it out, or choose solver lagrangian", l.Multipliers)
		case l.StepOffset != 0:
			return core.Bad("step offset %d with solver admm, whose steps have the length 1; leave it out, or choose solver lagrangian", l.StepOffset)
		}
		return nil
	}
	if l.Multipliers == "" {
		l.Multipliers = MultipliersZero
	}
	// Beyond that, steps are lost in rounding.
	if l.StepOffset > math.MaxInt32 {
		return core.Bad("step offset %d; choose 0 to %d", l.StepOffset, math.MaxInt32)
	}
	return known("multipliers", l.Multipliers, multipliers)
}
