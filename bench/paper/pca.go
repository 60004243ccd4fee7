package main

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// Components is a truncated singular value decomposition M ≈ V W. It has the least error of all
// factorizations of its rank with entries of any sign.
type Components struct {
	V *mat.Dense // m x r, orthonormal columns
	W *mat.Dense // r x n, orthogonal rows whose norms are the singular values

	RelativeError float64          // ||M - V W||_F / ||M||_F; 0 for M = 0
	Values        []float64        // all singular values, in decreasing order
	Basis         outcome.Sparsity // of the columns of V, by absolute values
	Weights       outcome.Sparsity // of the rows of W, by absolute values
}

// PCA returns the leading rank singular triplets of M, not centred: the reference of the
// paper's tables (section 4.2). Each column of V has a nonnegative sum.
// The arithmetic is gonum's, so the last bits depend on the machine.
func PCA(m lnmu.Dense[float64], rank int) (*Components, error) {
	x := gonum.To(m)
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return nil, fmt.Errorf("%w: no singular value decomposition of M was found; scale M", lnmu.ErrValue)
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	v := mat.DenseCopyOf(left.Slice(0, m.Rows, 0, rank))
	w := mat.DenseCopyOf(right.Slice(0, m.Cols, 0, rank).T())
	values := svd.Values(nil)
	for k, sigma := range values[:rank] {
		sign := 1.0
		if mat.Sum(v.ColView(k)) < 0 {
			sign = -1
		}
		for i := range m.Rows {
			v.Set(i, k, sign*v.At(i, k))
		}
		for j := range m.Cols {
			w.Set(k, j, sign*sigma*w.At(k, j))
		}
	}
	c := &Components{V: v, W: w, Values: values, Basis: factors.RowSparsity(magnitudes(v).Transposed()), Weights: factors.RowSparsity(magnitudes(w))}
	if norm := mat.Norm(x, 2); norm > 0 {
		var e mat.Dense
		e.Mul(v, w)
		e.Sub(x, &e)
		c.RelativeError = mat.Norm(&e, 2) / norm
	}
	return c, nil
}

// magnitudes returns the absolute values of x.
func magnitudes(x *mat.Dense) lnmu.Dense[float64] {
	d := gonum.From[float64](mat.DenseCopyOf(x))
	for i := range d.Data {
		d.Data[i] = math.Abs(d.Data[i])
	}
	return d
}
