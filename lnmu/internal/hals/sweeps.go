// Package hals makes the sweeps of hierarchical alternating least squares (equations
// (halsV) and (halsW)) over blocks of the columns of a factor, once or several times for
// each product with M. Settle sweeps columns until each is optimal on its own.
package hals

import (
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// Sweeps says how many sweeps are made for one product with N.
type Sweeps struct {
	Most   int
	Enough float64     // they end after one whose change is at most so many times that of the first; 0: never
	Over   func() bool // they end as well when the work is over; asked now and then

	// Simplex, if it is not nil, makes every column of the block the best one whose sum is 1,
	// in place of sweeps.
	Simplex *qp.Simplex
}

const sweepsPerAsk = 16 // sweeps between two questions whether the work is over

const (
	share  = 0.5 // α
	enough = 0.1 // ε
	most   = 10  // of those that the ratio gives: the sweeps of a short factor are cheap, but not free
)

// PerProduct returns the sweeps that the accelerated solver makes over a factor with so
// many columns for one product with M, which has so many stored entries; across is the
// other side of M. They are at most asked, or if that is 0 as many as pay: 1 + α (1 + ratio),
// where ratio is what the product with M and the Gram matrix cost, over what a sweep costs
// (N. Gillis and F. Glineur, Accelerated multiplicative updates and hierarchical ALS
// algorithms for nonnegative matrix factorization, Neural Computation 24, 2012).
func PerProduct(asked, entries, across, columns, rank int, over func() bool) Sweeps {
	w := Sweeps{Most: asked, Enough: enough, Over: over}
	if rank == 1 {
		w.Most = 1 // which is exact
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
// Gram matrix b of the other factor with the reciprocals of its diagonal. before is scratch
// of the shape of h, if the sweeps may end before the last one.
func Sweep[T kernel.Float](w Sweeps, before, h, a, b kernel.Matrix[T], inv []T, penalty T, mask kernel.Matrix[T]) {
	if w.Simplex != nil {
		OnSimplex(w.Simplex, h, a, b)
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
		change := kernel.Extrapolate(h, before, 0) // by nothing, but it measures
		if t == 1 {
			least = T(w.Enough*w.Enough) * change
		}
		if change <= least {
			return
		}
	}
}

// Simplices returns the workspaces for Sweeps.Simplex of so many members, for factors of that
// rank.
func Simplices(members, rank int) []*qp.Simplex {
	all := make([]*qp.Simplex, members)
	for i := range all {
		all[i] = qp.NewSimplex(rank)
	}
	return all
}

// OnSimplex sets the columns of h to the best ones with the sum 1, which it looks for from the
// present ones, given their products a with N, and the Gram matrix b. It returns the largest
// KKT residual.
func OnSimplex[T kernel.Float](s *qp.Simplex, h, a, b kernel.Matrix[T]) (kkt float64) {
	for k := range b.Rows {
		to := s.Gram.Row(k)
		for l, x := range b.Row(k) {
			to[l] = float64(x)
		}
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
