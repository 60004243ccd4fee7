package subject

import "nmu/lnmu"

// Contenders are two solvers of one method that run from the same start to the same
// result.
type Contenders struct {
	Method         string // its name
	Default, Other Solver
	Iterations     int    // of the default solver, as in the paper
	To             string // what both reach: ToError or ToViolation
}

// Solver is a solver of a method.
type Solver struct {
	Name   string
	Method lnmu.Method
}

// The results that solvers are compared by.
const (
	ToError     = "error"
	ToViolation = "violation"
)

// SolversOf returns the solvers of a method: the default one, and the other one that is
// compared with it.
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

// unending is ADMM without an early end: no residual is as small as its tolerance.
var unending = lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-9}
