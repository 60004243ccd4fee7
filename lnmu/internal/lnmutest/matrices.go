// Package lnmutest holds matrices, readers and comparisons for the tests of package lnmu. Each
// package below it tests one subject of package lnmu. Its own tests are also those of the small
// packages matrix, spectral and support.
package lnmutest

import (
	"math/rand/v2"

	"nmu/lnmu"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/start"
)

// Data returns a nonnegative m x n matrix of low rank with noise and zeros.
func Data[T lnmu.Float](m, n int, seed uint64) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 99))
	d := lnmu.NewDense[T](m, n, nil)
	const rank = 4
	v, w := make([]float64, m*rank), make([]float64, rank*n)
	for _, f := range [][]float64{v, w} {
		for i := range f {
			f[i] = max(0, rng.Float64()-0.4)
		}
	}
	for i := range m {
		for j := range n {
			x := 0.05 * rng.Float64()
			for k := range rank {
				x += float64(v[i*rank+k] * w[k*n+j])
			}
			if rng.IntN(5) > 0 {
				d.Data[i*n+j] = T(x)
			}
		}
	}
	return d
}

// RandomMatrix returns an m x n matrix of random entries in [0, 1), of which a quarter are 0.
func RandomMatrix[T lnmu.Float](m, n int, seed uint64) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 3))
	d := lnmu.NewDense[T](m, n, nil)
	for i := range d.Data {
		if d.Data[i] = T(rng.Float64()); rng.IntN(4) == 0 {
			d.Data[i] = 0
		}
	}
	return d
}

// SparseData returns a sparse nonnegative matrix of parts, with some entries missing and some
// added, an empty row and an empty column.
func SparseData[T lnmu.Float](m, n int, seed uint64) lnmu.CSR[T] {
	rng := rand.New(rand.NewPCG(seed, 5))
	d := lnmu.NewDense[T](m, n, nil)
	for range 6 {
		i0, j0 := rng.IntN(m), rng.IntN(n)
		for i := i0; i < min(m, i0+m/3+1); i++ {
			for j := j0; j < min(n, j0+n/3+1); j++ {
				d.Data[i*n+j] += T(1 + rng.Float64())
			}
		}
	}
	for i := range d.Data {
		if x := rng.IntN(20); x == 0 {
			d.Data[i] = T(rng.Float64())
		} else if x < 4 {
			d.Data[i] = 0
		}
	}
	if m > 3 && n > 5 {
		clear(d.Row(3))
		for i := range m {
			d.Data[i*n+5] = 0
		}
	}
	return lnmu.NewCSR(d)
}

// Ones returns a matrix of ones.
func Ones[T lnmu.Float](m, n int) lnmu.Dense[T] {
	d := lnmu.NewDense[T](m, n, nil)
	for i := range d.Data {
		d.Data[i] = 1
	}
	return d
}

// Gaps returns a mask in which about the given part of the entries is missing, but no whole row
// or column.
func Gaps(m, n int, part float64, seed uint64) *lnmu.Mask {
	rng := rand.New(rand.NewPCG(seed, 7))
	k := lnmu.NewMask(m, n)
	for i := range m {
		for j := range n {
			k.Set(i, j, rng.Float64() >= part || i%n == j%m)
		}
	}
	return k
}

// Filled returns a copy of m with the numbers x, in their order, in place of the missing entries.
func Filled[T lnmu.Float](m lnmu.Dense[T], k *lnmu.Mask, x ...T) lnmu.Dense[T] {
	c := matrix.Clone(m)
	at := 0
	for i := range c.Rows {
		for j := range c.Row(i) {
			if !k.Observed(i, j) {
				c.Row(i)[j] = x[at%len(x)]
				at++
			}
		}
	}
	return c
}

// WeightsOf returns weights of 1, or random ones from 0.1 to 1 with at least one of 1. The
// weights of missing entries are 0.
func WeightsOf(k *lnmu.Mask, random bool) lnmu.Dense[float64] {
	rows, cols := k.Dims()
	w := Ones[float64](rows, cols)
	if random {
		r := RandomMatrix[float64](rows, cols, 9)
		for i, x := range r.Data {
			w.Data[i] = 0.1 + 0.9*x
		}
		w.Data[0] = 1
	}
	return Filled(w, k, 0)
}

// RandomStart returns the start of a seed.
func RandomStart[T lnmu.Float](m, n, r int, seed uint64) (v, w lnmu.Dense[T]) {
	return start.Draw[T](m, n, r, seed, false, core.Part{Whole: m}.Window(m, n))
}
