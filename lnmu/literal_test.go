package lnmu_test

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nmu/lnmu"
)

// The literal form: equations (halsV), (halsW) and Algorithm L-NMU as the paper
// prints them, with Λ, in float64, without any fusion.

// literalHALS makes one HALS step on N = M - Λ: V column by column, then W row
// by row.
func literalHALS(n, v, w *mat.Dense) { literalSwept(n, v, w, 1) }

// literalSwept is literalHALS with several sweeps over V, and over W, for each product
// with N.
func literalSwept(n, v, w *mat.Dense, sweeps int) {
	none := func(int) bool { return false }
	literalHeld(n, v, w, sweeps, none, none)
}

// literalHeld is literalSwept but for the columns of V and rows of W that are held.
func literalHeld(n, v, w *mat.Dense, sweeps int, heldV, heldW func(k int) bool) {
	_, r := v.Dims()
	var a, b, c, d mat.Dense
	a.Mul(n, w.T())
	b.Mul(w, w.T())
	rows, cols := n.Dims()
	for at := range sweeps * r {
		k := at % r
		if b.At(k, k) == 0 || heldV(k) {
			continue
		}
		for i := range rows {
			sum := a.At(i, k)
			for l := range r {
				if l != k {
					sum -= v.At(i, l) * b.At(l, k)
				}
			}
			v.Set(i, k, math.Max(0, sum/b.At(k, k)))
		}
	}
	c.Mul(v.T(), n)
	d.Mul(v.T(), v)
	for at := range sweeps * r {
		k := at % r
		if d.At(k, k) == 0 || heldW(k) {
			continue
		}
		for j := range cols {
			sum := c.At(k, j)
			for l := range r {
				if l != k {
					sum -= d.At(k, l) * w.At(l, j)
				}
			}
			w.Set(k, j, math.Max(0, sum/d.At(k, k)))
		}
	}
}

// literalLNMU is Algorithm L-NMU. It changes v and w in place.
func literalLNMU(m, v, w *mat.Dense, iterations, inner, sweeps int) {
	rows, cols := m.Dims()
	lambda := mat.NewDense(rows, cols, nil)
	var n, p mat.Dense
	for k := 1; k <= iterations; k++ {
		n.Sub(m, lambda)
		for range inner {
			literalSwept(&n, v, w, sweeps)
		}
		p.Mul(v, w)
		for i := range rows {
			for j := range cols {
				lambda.Set(i, j, math.Max(0, lambda.At(i, j)-(m.At(i, j)-p.At(i, j))/float64(k)))
			}
		}
	}
}

// literalScale scales v and w together so that equation (scaling) holds.
func literalScale(m, v, w *mat.Dense) {
	var p, x, y mat.Dense
	p.Mul(v, w)
	x.MulElem(m, &p)
	y.MulElem(&p, &p)
	alpha := math.Sqrt(mat.Sum(&x) / mat.Sum(&y))
	v.Scale(alpha, v)
	w.Scale(alpha, w)
}

// literal runs a method from the start v, w and returns V W.
func literal(method lnmu.Method, m, v, w *mat.Dense, iterations, inner int) *mat.Dense {
	rows, cols := m.Dims()
	_, rank := v.Dims()
	v, w = mat.DenseCopyOf(v), mat.DenseCopyOf(w)
	total := mat.NewDense(rows, cols, nil)
	switch method := method.(type) {
	case lnmu.NMF:
		for range iterations {
			literalHALS(m, v, w)
		}
		total.Mul(v, w)
	case lnmu.GNMU:
		literalLNMU(m, v, w, iterations, inner, max(1, method.Sweeps))
		total.Mul(v, w)
	case lnmu.RNMU:
		residual, block := mat.DenseCopyOf(m), max(1, method.Block)
		for k := 0; k < rank; k += block {
			end := min(k+block, rank)
			vk, wk := mat.DenseCopyOf(v.Slice(0, rows, k, end)), mat.DenseCopyOf(w.Slice(k, end, 0, cols))
			literalScale(residual, vk, wk)
			literalLNMU(residual, vk, wk, iterations, inner, max(1, method.Sweeps))
			var p mat.Dense
			p.Mul(vk, wk)
			total.Add(total, &p)
			residual.Apply(func(i, j int, x float64) float64 { return math.Max(0, x-p.At(i, j)) }, residual)
		}
	}
	return total
}
