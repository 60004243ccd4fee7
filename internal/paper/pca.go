package paper

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/lnmu"
)

// Components is a truncated singular value decomposition M ≈ V W. It has the least error of all
// factorizations of its rank with entries of any sign.
type Components struct {
	V *mat.Dense // m x r, orthonormal columns
	W *mat.Dense // r x n, orthogonal rows whose norms are the singular values

	RelativeError float64       // ||M - V W||_F / ||M||_F; 0 for M = 0
	Basis         lnmu.Sparsity // of the columns of V, by absolute values
	Weights       lnmu.Sparsity // of the rows of W, by absolute values
}

// byGram is the number of entries of M above which PCA uses the Gram matrix of the smaller
// side.
const byGram = 1 << 22

// PCA returns the leading rank singular triplets of M, not centred: the reference of the
// paper's tables (section 4.2). Each column of V has a nonnegative sum.
//
// If M has more than 2²² entries, PCA decomposes the Gram matrix of the smaller side, in O(mn
// min(m,n)) operations that are mostly products. Singular values below 10⁻⁸ of the first are
// then rounding errors. The arithmetic is gonum's, so the last bits depend on the machine.
// Errors wrap lnmu.ErrShape, lnmu.ErrOption or lnmu.ErrValue.
func PCA[T lnmu.Float](m lnmu.Dense[T], rank int) (*Components, error) {
	if m.Rows < 1 || m.Cols < 1 {
		return nil, fmt.Errorf("%w: M is empty (%d x %d)", lnmu.ErrShape, m.Rows, m.Cols)
	}
	if rank < 1 || rank > min(m.Rows, m.Cols) {
		return nil, fmt.Errorf("%w: rank %d for a %d x %d matrix; choose 1 to %d", lnmu.ErrOption, rank, m.Rows, m.Cols, min(m.Rows, m.Cols))
	}
	for i := range m.Rows {
		for j, x := range m.Row(i) {
			if x := float64(x); math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, &lnmu.ValueError{Matrix: "M", Row: i, Col: j, Value: x}
			}
		}
	}
	x := gonum.To(m)
	decompose := svdTriplets
	if m.Rows*m.Cols > byGram {
		decompose = gramTriplets
	}
	v, w, ok := decompose(x, rank)
	if !ok {
		return nil, fmt.Errorf("%w: no singular value decomposition of M was found; scale M", lnmu.ErrValue)
	}
	for k := range rank {
		if mat.Sum(v.ColView(k)) < 0 {
			for i := range m.Rows {
				v.Set(i, k, -v.At(i, k))
			}
			for j := range m.Cols {
				w.Set(k, j, -w.At(k, j))
			}
		}
	}
	c := &Components{V: v, W: w, Basis: lnmu.RowSparsity(magnitudes(v).Transposed()), Weights: lnmu.RowSparsity(magnitudes(w))}
	if norm := mat.Norm(x, 2); norm > 0 {
		var e mat.Dense
		e.Mul(v, w)
		e.Sub(x, &e)
		c.RelativeError = mat.Norm(&e, 2) / norm
	}
	return c, nil
}

// svdTriplets decomposes the matrix directly.
func svdTriplets(x *mat.Dense, rank int) (v, w *mat.Dense, ok bool) {
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return nil, nil, false
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	rows, cols := x.Dims()
	v = mat.DenseCopyOf(left.Slice(0, rows, 0, rank))
	w = mat.DenseCopyOf(right.Slice(0, cols, 0, rank).T())
	for k, sigma := range svd.Values(nil)[:rank] {
		for j := range cols {
			w.Set(k, j, sigma*w.At(k, j))
		}
	}
	return v, w, true
}

// gramTriplets decomposes the Gram matrix of the smaller side.
func gramTriplets(x *mat.Dense, rank int) (v, w *mat.Dense, ok bool) {
	rows, cols := x.Dims()
	tall := rows > cols
	var side mat.Matrix = x
	if tall {
		side = x.T()
	}
	var gram mat.SymDense
	gram.SymOuterK(1, side)
	var eigen mat.EigenSym
	if !eigen.Factorize(&gram, true) {
		return nil, nil, false
	}
	var all mat.Dense
	eigen.VectorsTo(&all) // by ascending eigenvalues
	size := min(rows, cols)
	u := mat.NewDense(size, rank, nil)
	for k := range rank {
		for i := range size {
			u.Set(i, k, all.At(i, size-1-k))
		}
	}
	v, w = new(mat.Dense), new(mat.Dense)
	if !tall {
		v = u
		w.Mul(u.T(), x)
		return v, w, true
	}
	v.Mul(x, u)
	w.CloneFrom(u.T())
	for k := range rank {
		sigma := mat.Norm(v.ColView(k), 2)
		if sigma == 0 {
			continue
		}
		for i := range rows {
			v.Set(i, k, v.At(i, k)/sigma)
		}
		for j := range cols {
			w.Set(k, j, w.At(k, j)*sigma)
		}
	}
	return v, w, true
}

// magnitudes returns the absolute values of x.
func magnitudes(x *mat.Dense) lnmu.Dense[float64] {
	d := gonum.From[float64](mat.DenseCopyOf(x))
	for i := range d.Data {
		d.Data[i] = math.Abs(d.Data[i])
	}
	return d
}
