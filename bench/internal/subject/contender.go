package subject

import "nmu/lnmu"

// Contenders are two solvers of one method that run from the same start to the same
// result.
type Contenders struct {
	Method         string // name of the method
	Default, Other Solver
	Iterations     int    // of the default solver, as in the paper
	To             string // the common target: ToError or ToViolation
}

// Solver is a solver of a method.
type Solver struct {
	Name   string
	Method lnmu.Method
}

// Targets for the comparison of solvers.
const (
	ToError     = "error"
	ToViolation = "violation"
)

// SolversOf returns the default solver of a method and the solver compared with it.
func SolversOf(m Method) Contenders {
	c := Contenders{Method: m.Name, Iterations: m.Paper(), To: ToViolation}
	switch m.Name {
	case GNMU:
		c.Default = Solver{"lagrangian", lnmu.GNMU{}}
		c.Other = Solver{"admm", lnmu.GNMU{Lagrangian: unending}}
	case RNMU:
		c.Default = Solver{"lagrangian", lnmu.RNMU{}}
		c.Other = Solver{"admm", lnmu.RNMU{Lagrangian: unending}}
	default:
		c.To = ToError
		c.Default = Solver{"hals", lnmu.NMF{}}
		c.Other = Solver{"accelerated", lnmu.NMF{Solver: lnmu.SolverAccelerated}}
	}
	return c
}

// unending is ADMM without an early end: its tolerance is smaller than any reached residual.
var unending = lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}
