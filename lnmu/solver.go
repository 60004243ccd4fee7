package lnmu

import (
	"cmp"
	"nmu/internal/combination"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/method"
)

// checkSolver fills in the default of a solver and checks the number of sweeps, an option of
// the accelerated solver alone.
func checkSolver(solver *Choice, sweeps int, byDefault Choice) error {
	*solver = cmp.Or(*solver, byDefault)
	if err := check.Word("solver", *solver, combination.Solvers); err != nil {
		return err
	}
	switch {
	case sweeps < 0:
		return fault.Bad("number of sweeps %d is negative", sweeps)
	case sweeps > 0 && *solver != SolverAccelerated:
		return fault.Bad("%d sweeps for solver %s, which makes one; choose %s", sweeps, *solver, SolverAccelerated)
	}
	return nil
}

// acceleration holds the options of the accelerated solver.
type acceleration struct {
	on     bool
	sweeps int // at most, for each product with M; 0: as many as pay
}

func accelerationOf(solver Choice, sweeps int) acceleration {
	return acceleration{on: solver == SolverAccelerated, sweeps: sweeps}
}

// iterations is the usual number of iterations, 0 for that of the method.
func (a acceleration) iterations() int {
	if a.on {
		return 0
	}
	return 600 // the paper's (section 4.3)
}

// hals runs the chosen solver of NMF. Also a run that ended before its first step has the sums.
func (a acceleration) hals(l *method.Loop, p core.Problem) method.Trace {
	method.SumStart(p)
	defer p.SetSums()
	if a.on {
		return l.Accelerate(p.Accelerate(a.sweeps))
	}
	return l.HALS(p)
}
