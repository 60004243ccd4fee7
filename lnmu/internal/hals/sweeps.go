// Package hals holds the factors with what their steps need (Side, Sides), and makes the sweeps of hierarchical
// alternating least squares (equations (halsV) and (halsW)) over blocks of its columns. A product
// with M is followed by one or several sweeps. Settle sweeps columns until each is optimal on its own.
package hals

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// Sweeps says how many sweeps are made for one product with N.
type Sweeps struct {
	Most   int
	Enough float64     // they end when a change is at most Enough times the first one; 0: never
	Over   func() bool // reports whether the run is cancelled, which also ends them

	// If Simplex is not nil, every column of the block becomes the best one with the sum 1,
	// without sweeps.
	Simplex *qp.Simplex
}

const sweepsPerAsk = 16 // sweeps between two calls of Over

const (
	share  = 0.5 // α
	enough = 0.1 // ε
	most   = 10  // limit of the sweeps that the ratio gives: those of a short factor are not free
)

// PerProduct returns the sweeps of the accelerated solver over a factor for one product with M.
// entries is the number of stored entries of M, columns that of the columns of the factor, and
// across the length of the other side of M. The largest number of sweeps is asked. If asked is 0,
// it is 1 + α (1 + ratio), where ratio is the cost of the product with M and of the Gram matrix
// over the cost of a sweep (N. Gillis and F. Glineur, Accelerated multiplicative updates and
// hierarchical ALS algorithms for nonnegative matrix factorization, Neural Computation 24, 2012).
func PerProduct(asked, entries, across, columns, rank int, over func() bool) Sweeps {
	w := Sweeps{Most: asked, Enough: enough, Over: over}
	if rank == 1 {
		w.Most = 1 // one sweep is exact
	}
	if w.Most > 0 {
		return w
	}
	m, n, r := float64(across), float64(columns), float64(rank)
	ratio := (float64(entries) + float64(m*r)) / float64(n*(r+1))
	w.Most = int(min(1+float64(share*(1+ratio)), most))
	return w
}

// Sweep sweeps a block of columns h of a factor, given their products a with N, and the
// Gram matrix b of the other factor with inv from Reciprocals. before is scratch of
// the shape of h, needed if w.Enough may end the sweeps. penalty is half of the l1 penalty, ridge the
// l2 penalty.
func Sweep[T kernel.Float](w Sweeps, before, h, a, b kernel.Matrix[T], inv []T, penalty, ridge T, mask kernel.Matrix[T]) {
	if w.Simplex != nil {
		OnSimplex(w.Simplex, h, a, b, ridge)
		return
	}
	measured := w.Enough > 0 && w.Most > 1
	if measured {
		matrix.CopyRows(before, h)
	}
	var least T
	for t := 1; ; t++ {
		kernel.Sweep(h, a, b, inv, penalty, mask)
		if t >= w.Most || t%sweepsPerAsk == 0 && w.Over() {
			return
		}
		if !measured {
			continue
		}
		change := kernel.Extrapolate(h, before, 0) // with β = 0 it only measures
		if t == 1 {
			least = T(w.Enough*w.Enough) * change
		}
		if change <= least {
			return
		}
	}
}

// Simplices returns one workspace for Sweeps.Simplex per member, for factors of that rank.
func Simplices(members, rank int) []*qp.Simplex {
	all := make([]*qp.Simplex, members)
	for i := range all {
		all[i] = qp.NewSimplex(rank)
	}
	return all
}

// HasSum reports whether the n numbers x[0], x[stride], ... have the sum 1, up to rounding.
func HasSum[T kernel.Float](x []T, n, stride int) bool {
	var sum float64
	for k := range n {
		sum += float64(x[k*stride])
	}
	return math.Abs(sum-1) <= float64(4*n)*matrix.Epsilon[T]()
}

// SetSum divides the n numbers x[0], x[stride], ... by their sum unless HasSum. Zeros become equal
// numbers.
func SetSum[T kernel.Float](x []T, n, stride int) {
	if HasSum(x, n, stride) {
		return
	}
	var most T
	for k := range n {
		most = max(most, x[k*stride])
	}
	var sum float64
	for k := range n {
		if most == 0 {
			x[k*stride] = 1
		} else {
			x[k*stride] /= most // now the sum cannot overflow
		}
		sum += float64(x[k*stride])
	}
	for k := range n {
		x[k*stride] = T(float64(x[k*stride]) / sum)
	}
}

// Reciprocals sets inv to the reciprocals of the diagonal of b plus the l2 penalty ridge, as
// kernel.Reciprocals does.
func Reciprocals[T kernel.Float](inv []T, b kernel.Matrix[T], ridge T) {
	kernel.Reciprocals(inv, b)
	for k := range inv {
		if ridge > 0 {
			inv[k] = kernel.Reciprocal(min(b.Row(k)[k]+ridge, T(matrix.Largest[T]())))
		}
	}
}

// OnSimplex sets the columns of h to the best ones with the sum 1, given their products a with N,
// the Gram matrix b and the l2 penalty ridge. The search begins with the present columns. It returns
// the largest KKT residual.
func OnSimplex[T kernel.Float](s *qp.Simplex, h, a, b kernel.Matrix[T], ridge T) (kkt float64) {
	for k := range b.Rows {
		to := s.Gram.Row(k)
		for l, x := range b.Row(k) {
			to[l] = float64(x)
		}
		to[k] += float64(ridge)
	}
	for j := range h.Cols {
		for k := range h.Rows {
			s.Weights[k], s.Products[k] = float64(h.Row(k)[j]), float64(a.Row(k)[j])
		}
		kkt = max(kkt, s.Solve(s.Weights, s.Products))
		for k, x := range s.Weights {
			h.Row(k)[j] = T(x)
		}
	}
	return kkt
}
