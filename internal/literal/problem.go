// Package literal has the algorithms as the paper, and the papers of the other methods, print them: in
// float64, entry by entry, with the residual formed anew and no product that is used twice. Tests
// compare package lnmu with them. Functions change the factors v and w that they begin with.
package literal

import (
	"math"
	"slices"

	"nmu/lnmu"
)

// Matrix is a matrix whose rows lie one behind the other.
type Matrix = lnmu.Dense[float64]

// New returns the rows x cols matrix with these entries.
func New(rows, cols int, at func(i, j int) float64) Matrix {
	x := lnmu.NewDense[float64](rows, cols, nil)
	for i := range rows {
		for j := range cols {
			x.Row(i)[j] = at(i, j)
		}
	}
	return x
}

// As returns x in precision T.
func As[T, S lnmu.Float](x lnmu.Dense[S]) lnmu.Dense[T] {
	y := lnmu.NewDense[T](x.Rows, x.Cols, nil)
	for i := range x.Rows {
		for j, a := range x.Row(i) {
			y.Row(i)[j] = T(a)
		}
	}
	return y
}

// Clone returns a copy of x.
func Clone(x Matrix) Matrix { return As[float64](x) }

// Entry returns V W in row i, column j.
func Entry[T lnmu.Float](v, w lnmu.Dense[T], i, j int) (x float64) {
	for k := range v.Cols {
		x += float64(v.At(i, k)) * float64(w.At(k, j))
	}
	return x
}

// Product returns V W.
func Product[T lnmu.Float](v, w lnmu.Dense[T]) Matrix {
	return New(v.Rows, w.Cols, func(i, j int) float64 { return Entry(v, w, i, j) })
}

// Apart returns the norm of x - y over that of y.
func Apart(x, y Matrix) float64 {
	return norm(New(y.Rows, y.Cols, func(i, j int) float64 { return x.At(i, j) - y.At(i, j) }).Data) / norm(y.Data)
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

func dot(x, y []float64) (sum float64) {
	for i, a := range x {
		sum += a * y[i]
	}
	return sum
}

// Sum returns the sum of the entries of x.
func Sum(x Matrix) (sum float64) {
	for _, a := range x.Data {
		sum += a
	}
	return sum
}

// Problem is a matrix M to factor, with the weights U of its entries. A missing entry has weight 0.
type Problem struct{ M, U Matrix }

// Complete returns the problem of a matrix whose entries all have weight 1.
func Complete[T lnmu.Float](m lnmu.Dense[T]) Problem {
	return Problem{As[float64](m), New(m.Rows, m.Cols, func(int, int) float64 { return 1 })}
}

// Transposed returns the problem of the transpose of M.
func (p Problem) Transposed() Problem { return Problem{p.M.Transposed(), p.U.Transposed()} }

// sum returns Σ u f(m, v w).
func (p Problem) sum(v, w Matrix, f func(m, x float64) float64) (sum float64) {
	for i := range p.M.Rows {
		for j, m := range p.M.Row(i) {
			if u := p.U.At(i, j); u > 0 {
				sum += u * f(m, Entry(v, w, i, j))
			}
		}
	}
	return sum
}

// Squares returns Σ u (m - v w)².
func (p Problem) Squares(v, w Matrix) float64 {
	return p.sum(v, w, func(m, x float64) float64 { return (m - x) * (m - x) })
}

// Absolute returns Σ u |m - v w|.
func (p Problem) Absolute(v, w Matrix) float64 {
	return p.sum(v, w, func(m, x float64) float64 { return math.Abs(m - x) })
}

// Norm returns the weighted norm of M.
func (p Problem) Norm() float64 { return math.Sqrt(p.Squares(Matrix{}, Matrix{})) }

// Divergence returns Σ u (m log(m/x) - m + x), X = V W.
func (p Problem) Divergence(v, w Matrix) float64 {
	return p.sum(v, w, deviance)
}

func deviance(m, x float64) float64 {
	if m == 0 {
		return x
	}
	return m*math.Log(m/x) - m + x
}

// Null returns the divergence of M from its weighted mean.
func (p Problem) Null() float64 {
	mean := p.Total() / Sum(p.U)
	return p.sum(Matrix{}, Matrix{}, func(m, _ float64) float64 { return deviance(m, mean) })
}

// Total returns the weighted sum of M.
func (p Problem) Total() float64 {
	return p.sum(Matrix{}, Matrix{}, func(m, _ float64) float64 { return m })
}

// Violation returns the largest entry of V W - M and the norm of its positive part, where M is observed.
func (p Problem) Violation(v, w Matrix) (most, size float64) {
	size = math.Sqrt(p.sum(v, w, func(m, x float64) float64 {
		most = max(most, x-m)
		return math.Pow(max(0, x-m), 2)
	}))
	return most, size
}

// equal reports whether all observed entries have the same weight.
func (p Problem) equal() bool {
	most := slices.Max(p.U.Data)
	return !slices.ContainsFunc(p.U.Data, func(u float64) bool { return u > 0 && u < most })
}

// Majorized returns the problem of N = X + ω (M - X), X = V W, without missing entries, for the weights ω
// of which the largest is 1 (missing solver majorize).
func (p Problem) Majorized(v, w Matrix) Problem {
	most := slices.Max(p.U.Data)
	return Complete(New(p.M.Rows, p.M.Cols, func(i, j int) float64 {
		x, u := Entry(v, w, i, j), p.U.At(i, j)/most
		if u > 0 {
			x += u * (p.M.At(i, j) - x)
		}
		return x
	}))
}

// Scale multiplies v and w by the root of the α that minimises Σ u (m - α v w)² (equation (scaling)).
func (p Problem) Scale(v, w Matrix) {
	alpha := p.sum(v, w, func(m, x float64) float64 { return m * x }) / p.sum(v, w, func(_, x float64) float64 { return x * x })
	multiply(v.Data, math.Sqrt(alpha))
	multiply(w.Data, math.Sqrt(alpha))
}

func multiply(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// Elastic is the penalty L1 Σ h + L2 Σ h² on the entries h of a factor.
type Elastic struct{ L1, L2 float64 }

// Of returns the penalty on x.
func (e Elastic) Of(x Matrix) (s float64) {
	for _, a := range x.Data {
		s += e.L1*a + e.L2*a*a
	}
	return s
}

// Held reports whether an entry of a factor is fixed: V[line, k], or W[k, line].
type Held func(line, k int, ofV bool) bool
