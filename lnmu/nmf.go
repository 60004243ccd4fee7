package lnmu

import (
	"cmp"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
)

// NMF is nonnegative matrix factorization by hierarchical alternating least squares
// (HALS): min ||M - V W||_F over V, W >= 0 (section 3.1 with Λ = 0).
type NMF struct {
	// Solver is SolverHALS or SolverAccelerated, which reaches the same error in about a sixth
	// of the time and makes 100 iterations by default. The default is SolverHALS, and
	// SolverAccelerated for a matrix with missing entries or weights, which make HALS slow.
	Solver Solver

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
}

// Describe implements Method.
func (m NMF) Describe() Description {
	return describe(Description{
		Name:       "nmf",
		Title:      "nonnegative matrix factorization, by HALS",
		Problem:    "min ||M - V W||, V, W >= 0, by HALS",
		Factors:    "dense mixtures, least error",
		Iterations: 600,
		Method:     m,
		Words:      map[string][]string{"Solver": check.Texts(solvers)},
	})
}

func (m NMF) prepare(rank int) (resolved, error) {
	err := checkSolver(&m.Solver, m.Sweeps)
	if err == nil && m.SumToOneV && m.SumToOneW {
		err = core.Bad("sums of one in both factors; choose one of them")
	}
	a := accelerationOf(m.Solver, m.Sweeps)
	return resolved{method: m, block: rank, sumV: m.SumToOneV, sumW: m.SumToOneW, penalised: m.SumToOneV || m.SumToOneW, most: a.iterations(), acceleration: a, solve: a.hals}, err
}

func (m NMF) forIncomplete() Method {
	m.Solver = cmp.Or(m.Solver, SolverAccelerated)
	return m
}
