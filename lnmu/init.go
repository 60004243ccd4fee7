package lnmu

import (
	"math"
	"math/rand/v2"

	"nmu/kernel"
)

// randomStart returns V (m x r) and W (r x n), uniform in [0, 1), from the PCG
// generator of math/rand/v2 with the given seed: V row by row, then W. The
// float32 numbers are the rounded float64 ones.
func randomStart[T Float](m, n, r int, seed uint64) (v, w Dense[T]) {
	rng := rand.New(rand.NewPCG(seed, 0))
	v, w = NewDense[T](m, r, nil), NewDense[T](r, n, nil)
	for _, d := range []Dense[T]{v, w} {
		for i := range d.Data {
			d.Data[i] = T(rng.Float64())
		}
	}
	return v, w
}

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) start(v, w Dense[T], k0 int) {
	vt, wk := s.h, s.g
	if !s.tall {
		vt, wk = s.g, s.h
	}
	transpose(vt, kernel.Matrix[T]{Rows: v.Rows, Cols: s.rank, Data: v.Data[k0:], Stride: v.Stride})
	for k := range s.rank {
		copy(wk.Row(k), w.Row(k0+k))
	}
}

// scale multiplies both factors by the square root of
// α = <N, VW>/<VW, VW>, so that equation (scaling) holds; N is M or the residual
// that is to be factored. Factors that cannot be scaled stay as they are.
func (s *solver[T]) scale() {
	alpha := T(math.Sqrt(s.fit()))
	if !(alpha > 0) || math.IsInf(float64(alpha), 0) {
		return
	}
	for _, f := range []kernel.Matrix[T]{s.h, s.g} {
		for i := range f.Data {
			f.Data[i] *= alpha
		}
	}
}

// fit returns the α that minimises ||N - α VW||, which is not a number if VW = 0.
func (s *solver[T]) fit() float64 {
	s.formB()
	s.pass(kernel.Never, 0, false)
	var across, within float64
	for k := range s.rank {
		across += float64(kernel.Dot(s.partial[0].Row(k), s.g.Row(k)))
		within += float64(kernel.Dot(s.d.Row(k), s.b.Row(k)))
	}
	return across / within
}

// startSVD replaces the factors by the nonnegative double SVD of N (C. Boutsidis
// and E. Gallopoulos, SVD based initialization: a head start for nonnegative
// matrix factorization, 2008): of σ u v the larger of the nonnegative rank-one
// matrices σ u⁺ v⁺ and σ u⁻ v⁻. A factor for which N has no singular vectors, its
// rank being too small, keeps its direction, but becomes small.
//
// HALS leaves the zeros of this start where it likes; the multiplicative rule of
// Hoyer cannot. If the work is over before there are vectors, the factors stay as
// they are.
func (s *solver[T]) startSVD(of *singular[T], over func() bool) {
	if !of.iterate(powerSteps, powerAccuracy, over) {
		return
	}
	const small = 0.1 // of the norm of the first factor
	for k := range s.rank {
		h, g := s.h.Row(k), s.g.Row(k)
		positive := halves(of.h.Row(k), 1) * halves(of.g.Row(k), 1)
		negative := halves(of.h.Row(k), -1) * halves(of.g.Row(k), -1)
		sign := T(1)
		if negative > positive {
			sign = -1
		}
		size := math.Sqrt(of.sigma[k] * max(positive, negative))
		if size == 0 {
			size = math.Sqrt(of.sigma[0]) * small
		} else {
			for i, u := range of.h.Row(k) {
				h[i] = max(0, sign*u)
			}
			for j, v := range of.g.Row(k) {
				g[j] = max(0, sign*v)
			}
		}
		for _, x := range [2][]T{h, g} {
			by := T(size * float64(kernel.Reciprocal(T(math.Sqrt(float64(kernel.SumSquares(x)))))))
			for i := range x {
				x[i] *= by
			}
		}
	}
}

// halves returns the norm of the entries of x that have the given sign.
func halves[T Float](x []T, sign T) float64 {
	var squares float64
	for _, a := range x {
		if a := float64(sign * a); a > 0 {
			squares += float64(a * a)
		}
	}
	return math.Sqrt(squares)
}
