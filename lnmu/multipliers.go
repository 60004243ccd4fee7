package lnmu

import (
	"math"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
)

// multipliers are what Lagrangian.Multipliers can be.
var multipliers = []Init{MultipliersZero, MultipliersStart}

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
	return check.Word("multipliers", l.Multipliers, multipliers)
}
