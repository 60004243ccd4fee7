package literal

import (
	"math"
	"slices"
)

// KL is the algorithm of method kl, as package method writes it. It changes V and W.
type KL struct {
	Problem
	V, W     Matrix
	OfV, OfW Elastic
	Held     Held

	beforeV, beforeW   Matrix
	beta, bound, least float64
}

func (x *KL) objective() float64 {
	return x.Divergence(x.V, x.W) + x.OfV.Of(x.V) + x.OfW.Of(x.W)
}

// multiplied returns the multiplicative update of h for the divergence of M from H G with a penalty.
func multiplied(p Problem, h, g Matrix, by Elastic) Matrix {
	return New(h.Rows, h.Cols, func(i, k int) float64 {
		num, den := 0.0, by.L1
		for j, b := range g.Row(k) {
			if u, m := p.U.At(i, j), p.M.At(i, j); u > 0 {
				if x := Entry(h, g, i, j); m > 0 && x > 0 {
					num += u * b * m / x
				}
				den += u * b
			}
		}
		a := h.At(i, k)
		switch {
		case by.L2 > 0: // the positive root of 2 L2 h² + den h = a num
			return (math.Sqrt(den*den+8*by.L2*a*num) - den) / (4 * by.L2)
		case den == 0:
			return a
		}
		return a * num / den
	})
}

// Multiply makes multiplicative updates of V, and then of W.
func Multiply(p Problem, v, w Matrix, ofV, ofW Elastic, iterations int) {
	for range iterations {
		copy(v.Data, multiplied(p, v, w, ofV).Data)
		copy(w.Data, multiplied(p.Transposed(), w.Transposed(), v.Transposed(), ofW).Transposed().Data)
	}
}

// renew makes a multiplicative update of V, or of W, with extrapolation.
func (x *KL) renew(ofV bool) {
	if x.beforeV.Data == nil {
		x.beforeV, x.beforeW = Clone(x.V), Clone(x.W)
	}
	to, before, next := x.V, x.beforeV, multiplied(x.Problem, x.V, x.W, x.OfV)
	if !ofV {
		to, before, next = x.W, x.beforeW, multiplied(x.Transposed(), x.W.Transposed(), x.V.Transposed(), x.OfW).Transposed()
	}
	for i := range to.Rows {
		for j, t := range next.Row(i) {
			line, k := i, j
			if !ofV {
				line, k = j, i
			}
			if x.Held == nil || !x.Held(line, k, ofV) {
				to.Row(i)[j] = t + x.beta*math.Max(0, t-before.At(i, j))
				before.Row(i)[j] = t
			}
		}
	}
}

// iterate makes an iteration by multiplicative updates. It reports whether these stay.
func (x *KL) iterate() bool {
	if x.bound == 0 {
		x.beta, x.bound, x.least = 0.5, 1, x.objective()
	}
	v, w := Clone(x.V), Clone(x.W)
	long := x.M.Rows >= x.M.Cols // whether V is the long factor
	x.renew(!long)
	x.renew(long)
	if d := x.objective(); d <= x.least {
		x.least = d
		x.bound = math.Min(1, x.bound*1.01)
		x.beta = math.Min(x.bound, x.beta*1.05)
		return true
	}
	copy(x.V.Data, v.Data)
	copy(x.W.Data, w.Data)
	x.beforeV, x.beforeW = v, w
	x.bound, x.beta = x.beta, x.beta/1.5
	return false
}

// conclude makes the last updates, and brings the norms of each part near to each other.
func (x *KL) conclude() {
	x.beta = 0
	x.renew(true)
	x.renew(false)
	first := 0 // of the columns that are not fixed
	for x.Held != nil && first < x.V.Cols && x.Held(0, first, true) {
		first++
	}
	if x.OfV == (Elastic{}) {
		even([]Matrix{x.V}, []Matrix{x.W}, first, nil)
	}
}

// CoordinatesOf takes the coordinates of each row of V, or of each column of W, twice in turn, as package poisson writes it.
func (x *KL) CoordinatesOf(ofV bool) {
	p, h, g, by := x.Problem, x.V, x.W, x.OfV
	if !ofV {
		p, h, g, by = x.Transposed(), x.W.Transposed(), x.V.Transposed(), x.OfW
	}
	least := slices.Max(x.M.Data) * 0x1p-104 // the precision, squared
	step := func(i, k int) (needed bool) {
		sum, first, second := by.L1, 0.0, 0.0
		for j, b := range g.Row(k) {
			u, m := p.U.At(i, j), p.M.At(i, j)
			sum += u * b
			if u > 0 && m > 0 {
				ratio := b / max(Entry(h, g, i, j), least)
				first += u * m * ratio
				second += u * m * ratio * ratio
			}
		}
		a := &h.Row(i)[k]
		if *a = math.Max(0, *a+first/sum*(first-sum)/second); first == 0 {
			*a = 0
		}
		return first > 0
	}
	for i := range h.Rows {
		for sweep := range 2 * h.Cols {
			k := sweep % h.Cols
			if x.Held != nil && x.Held(i, k, ofV) {
				continue
			}
			if old := h.At(i, k); step(i, k) && h.At(i, k) == 0 && old > 0 {
				step(i, k) // from 0, which the first one may have reached beyond the minimum
			}
		}
	}
	if !ofV {
		copy(x.W.Data, h.Transposed().Data)
	}
}
