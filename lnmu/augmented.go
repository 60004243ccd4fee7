package lnmu

import "nmu/lnmu/internal/method"

// iterations returns the default of the largest number of iterations for blocks of so many
// factors, or 0 if the solver is another one.
func (l *Lagrangian) iterations(block int) int {
	if l.Solver != SolverADMM {
		return 0
	}
	return method.AugmentedIterations(l.Rho, block)
}
