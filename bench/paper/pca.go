package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// Components describes a truncated singular value decomposition M ≈ V W. It has the least error of all
// factorizations of its rank with entries of any sign.
type Components struct {
	RelativeError float64          // ||M - V W||_F / ||M||_F; 0 for M = 0
	Values        []float64        // all singular values, in decreasing order
	Basis         outcome.Sparsity // of the columns of V, by absolute values
	Weights       outcome.Sparsity // of the rows of W, by absolute values
}

// PCA describes the leading rank singular triplets of M, not centred: the reference of the paper's tables (section 4.2).
// The arithmetic is gonum's, so the last bits depend on the machine.
func PCA(m lnmu.Dense[float64], rank int) (*Components, error) {
	var svd mat.SVD
	if !svd.Factorize(gonum.To(m), mat.SVDThin) {
		return nil, fmt.Errorf("%w: no singular value decomposition of M was found; scale M", lnmu.ErrValue)
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	c := &Components{Values: svd.Values(nil), Basis: sparsity(&left, rank), Weights: sparsity(&right, rank)}
	if norm := floats.Norm(c.Values, 2); norm > 0 {
		c.RelativeError = floats.Norm(c.Values[rank:], 2) / norm
	}
	return c, nil
}

// sparsity measures the absolute values of the first rank columns of x.
func sparsity(x *mat.Dense, rank int) outcome.Sparsity {
	rows, _ := x.Dims()
	var first mat.Dense
	first.Apply(func(_, _ int, x float64) float64 { return math.Abs(x) }, x.Slice(0, rows, 0, rank).T())
	return factors.RowSparsity(gonum.From[float64](&first))
}
