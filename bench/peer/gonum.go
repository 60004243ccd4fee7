package main

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// gonumNMF performs iters HALS steps.
func gonumNMF(m, v, w *mat.Dense, iters int) {
	var h gonumHALS
	for range iters {
		h.step(m, v, w)
	}
}

// gonumGNMU performs iters iterations of Algorithm L-NMU with inner HALS
// steps each and step lengths 1/k.
func gonumGNMU(m, v, w *mat.Dense, iters, inner int) {
	var h gonumHALS
	rows, cols := m.Dims()
	lambda := mat.NewDense(rows, cols, nil)
	n := mat.DenseCopyOf(m)
	oldV, oldW := mat.DenseCopyOf(v), mat.DenseCopyOf(w)
	var p mat.Dense
	for k := 1; k <= iters; k++ {
		oldV.Copy(v)
		oldW.Copy(w)
		for range inner {
			h.step(n, v, w)
		}
		if mat.Max(v) == 0 || mat.Max(w) == 0 { // the multipliers are too large
			v.Copy(oldV)
			w.Copy(oldW)
			lambda.Scale(0.5, lambda)
			n.Sub(m, lambda)
			continue
		}
		p.Mul(v, w)
		mu := 1 / float64(k)
		for i := range rows {
			mi, pi, li, ni := m.RawRowView(i), p.RawRowView(i), lambda.RawRowView(i), n.RawRowView(i)
			for j := range li {
				li[j] = max(0, li[j]-mu*(mi[j]-pi[j]))
				ni[j] = mi[j] - li[j]
			}
		}
	}
}

// gonumHALS keeps the products between HALS steps.
type gonumHALS struct{ a, b, c, d mat.Dense }

// step updates V by equation (halsV), then W by equation (halsW), to
// approximate n. A column of V does not change if its row of W is zero. A row of W does not
// change if its column of V is zero.
func (h *gonumHALS) step(n, v, w *mat.Dense) {
	h.a.Mul(n, w.T())
	h.b.Mul(w, w.T())
	rows, r := v.Dims()
	for i := range rows {
		vi, ai := v.RawRowView(i), h.a.RawRowView(i)
		for k := range r {
			bk := h.b.RawRowView(k) // B is symmetric
			if bk[k] == 0 {
				continue
			}
			vi[k] = max(0, vi[k]+(ai[k]-floats.Dot(vi, bk))/bk[k])
		}
	}

	h.c.Mul(v.T(), n)
	h.d.Mul(v.T(), v)
	for k := range r {
		wk, ck, dk := w.RawRowView(k), h.c.RawRowView(k), h.d.RawRowView(k)
		if dk[k] == 0 {
			continue
		}
		for l := range r {
			if l != k {
				floats.AddScaled(ck, -dk[l], w.RawRowView(l))
			}
		}
		for j := range wk {
			wk[j] = max(0, ck[j]/dk[k])
		}
	}
}

// gonumRNMU computes one factor after the other, column k of V and row k of W,
// with iters iterations of Algorithm L-NMU for each, and subtracts it.
func gonumRNMU(m, v, w *mat.Dense, iters, inner int) {
	rows, cols := m.Dims()
	_, r := v.Dims()
	res := mat.DenseCopyOf(m)
	lambda := mat.NewDense(rows, cols, nil)
	n := mat.NewDense(rows, cols, nil)
	x, y := mat.NewVecDense(rows, nil), mat.NewVecDense(cols, nil) // column of V, row of W
	oldX, oldY := mat.NewVecDense(rows, nil), mat.NewVecDense(cols, nil)
	for f := range r {
		x.CopyVec(v.ColView(f))
		y.CopyVec(w.RowView(f))
		lambda.Zero()
		n.Copy(res)
		for k := 1; k <= iters; k++ {
			oldX.CopyVec(x)
			oldY.CopyVec(y)
			for range inner {
				gonumRankOne(x, n, y)
				gonumRankOne(y, n.T(), x)
			}
			if mat.Max(x) == 0 || mat.Max(y) == 0 {
				x.CopyVec(oldX)
				y.CopyVec(oldY)
				lambda.Scale(0.5, lambda)
				n.Sub(res, lambda)
				continue
			}
			mu := 1 / float64(k)
			yd := y.RawVector().Data
			for i := range rows {
				xi := x.AtVec(i)
				mi, li, ni := res.RawRowView(i), lambda.RawRowView(i), n.RawRowView(i)
				for j := range li {
					li[j] = max(0, li[j]-mu*(mi[j]-xi*yd[j]))
					ni[j] = mi[j] - li[j]
				}
			}
		}
		yd := y.RawVector().Data
		for i := range rows {
			xi := x.AtVec(i)
			mi := res.RawRowView(i)
			for j := range mi {
				mi[j] = max(0, mi[j]-xi*yd[j])
			}
		}
		v.SetCol(f, x.RawVector().Data)
		w.SetRow(f, yd)
	}
}

// gonumRankOne sets x = max(0, n y) / (y . y). If y is zero, x does not change.
func gonumRankOne(x *mat.VecDense, n mat.Matrix, y *mat.VecDense) {
	yy := mat.Dot(y, y)
	if yy == 0 {
		return
	}
	x.MulVec(n, y)
	for i, s := range x.RawVector().Data {
		x.SetVec(i, max(0, s/yy))
	}
}
