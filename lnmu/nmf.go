package lnmu

import (
	"cmp"

	"nmu/lnmu/internal/check"
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

	// SumToOne makes the entries of each column of W, or of each row of V, add up to 1 within
	// rounding, like the shares of materials in a pixel. Every step finds the best weights with
	// these sums. Only a run that ends before its first iteration has other sums. Default "",
	// none.
	SumToOne Sums
}

// Sums says which entries of the factors add up to 1.
type Sums string

const (
	SumsV Sums = "v" // those of each row of V
	SumsW Sums = "w" // those of each column of W
)

var sums = []Sums{SumsV, SumsW}

// Describe implements Method.
func (m NMF) Describe() Description {
	return describe(Description{
		Name:       "nmf",
		Title:      "nonnegative matrix factorization, by HALS",
		Problem:    "min ||M - V W||, V, W >= 0, by HALS",
		Factors:    "dense mixtures, least error",
		Iterations: 600,
		Method:     m,
		Words:      map[string][]string{"Solver": check.Texts(solvers), "SumToOne": check.Texts(sums)},
	})
}

func (m NMF) prepare(rank int) (resolved, error) {
	err := checkSolver(&m.Solver, m.Sweeps)
	if err == nil && m.SumToOne != "" {
		err = check.Word("sum", m.SumToOne, sums)
	}
	a := accelerationOf(m.Solver, m.Sweeps)
	return resolved{method: m, block: rank, sumToOne: m.SumToOne, penalised: m.SumToOne != "", most: a.iterations(), acceleration: a, solve: a.hals}, err
}

func (m NMF) forIncomplete() Method {
	m.Solver = cmp.Or(m.Solver, SolverAccelerated)
	return m
}
