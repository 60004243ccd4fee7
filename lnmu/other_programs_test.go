package lnmu_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// The rules of two programs, from what they publish, in plain float64 loops: the
// recursion of the authors (recursiveNMU, with the paper) and the sparse one of MCRA.

// leadingTriple returns the first singular vectors, nonnegative, and the value.
func leadingTriple(m *mat.Dense) (x, y []float64, sigma float64) {
	var svd mat.SVD
	svd.Factorize(m, mat.SVDThin)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	x, y = mat.Col(nil, 0, &u), mat.Col(nil, 0, &v)
	for _, s := range [][]float64{x, y} {
		for i := range s {
			s[i] = math.Abs(s[i])
		}
	}
	return x, y, svd.Values(nil)[0]
}

// apply returns max(0, (M - Λ) y), or of the transpose.
func apply(m, lambda *mat.Dense, y []float64, transposed bool) []float64 {
	var left mat.Dense
	left.Sub(m, lambda)
	by := left.T()
	if !transposed {
		by = &left
	}
	var x mat.VecDense
	x.MulVec(by, mat.NewVecDense(len(y), y))
	for i, a := range x.RawVector().Data {
		x.SetVec(i, math.Max(0, a))
	}
	return x.RawVector().Data
}

// authorsRule is the recursion of the authors for one factor of m: it returns the factor.
// In iteration j = 1, 2, ... the multipliers take a step of 1/(j+1).
func authorsRule(m *mat.Dense, x, y []float64, sigma float64, iterations int) ([]float64, []float64) {
	x, y = append([]float64(nil), x...), append([]float64(nil), y...)
	floats.Scale(math.Sqrt(sigma), x)
	floats.Scale(math.Sqrt(sigma), y)
	rows, cols := m.Dims()
	lambda := mat.NewDense(rows, cols, nil)
	lambda.Apply(func(i, j int, _ float64) float64 { return math.Max(0, x[i]*y[j]-m.At(i, j)) }, lambda)
	for j := 1; j <= iterations; j++ {
		x = apply(m, lambda, y, false)
		floats.Scale(1/floats.Max(x), x)
		y = apply(m, lambda, x, true)
		floats.Scale(1/(floats.Dot(x, x)), y)
		lambda.Apply(func(i, k int, l float64) float64 {
			return math.Max(0, l-(m.At(i, k)-x[i]*y[k])/float64(j+1))
		}, lambda)
	}
	return x, y
}

// sparseRule is MCRA's for one factor: x and y have norm 1, λ is taken off before x is
// scaled, begins as a part of the largest entry, and follows the size of the support
// between the parts least and most of it.
func sparseRule(m *mat.Dense, x, y []float64, sigma, part, least, most float64, iterations int) ([]float64, []float64) {
	rows, cols := m.Dims()
	multipliers := mat.NewDense(rows, cols, nil)
	multipliers.Apply(func(i, j int, _ float64) float64 { return math.Max(0, sigma*x[i]*y[j]-m.At(i, j)) }, multipliers)
	var lambda float64
	for k := range iterations {
		x = apply(m, multipliers, y, false)
		largest := floats.Max(x)
		if k == 0 {
			lambda = part * largest
		} else if largest < lambda {
			lambda = 0.99 * largest
		}
		support := 0
		for i := range x {
			if x[i] = math.Max(0, x[i]-lambda); x[i] > 0 {
				support++
			}
		}
		floats.Scale(1/floats.Norm(x, 2), x)
		if float64(support) < least*float64(rows) {
			lambda *= 0.95
		} else if float64(support) > most*float64(rows) {
			lambda *= 1.05
		}
		y = apply(m, multipliers, x, true)
		sigma = floats.Norm(y, 2)
		floats.Scale(1/sigma, y)
		multipliers.Apply(func(i, j int, l float64) float64 {
			return math.Max(0, l+(sigma*x[i]*y[j]-m.At(i, j))/float64(k+1))
		}, multipliers)
	}
	y = append([]float64(nil), y...)
	floats.Scale(sigma, y)
	return x, y
}

// recursionOf runs a rule r times on what is left of m. It returns the starts as well.
func recursionOf(m *mat.Dense, r int, rule func(m *mat.Dense, x, y []float64, sigma float64) ([]float64, []float64)) (v, w lnmu.Dense[float64], product *mat.Dense) {
	rows, cols := m.Dims()
	v, w = lnmu.NewDense[float64](rows, r, nil), lnmu.NewDense[float64](r, cols, nil)
	product, m = mat.NewDense(rows, cols, nil), mat.DenseCopyOf(m)
	for k := range r {
		x, y, sigma := leadingTriple(m)
		for i := range x {
			v.Row(i)[k] = x[i] * math.Sqrt(sigma)
		}
		for j := range y {
			w.Row(k)[j] = y[j] * math.Sqrt(sigma)
		}
		x, y = rule(m, x, y, sigma)
		product.Apply(func(i, j int, p float64) float64 { return p + x[i]*y[j] }, product)
		m.Apply(func(i, j int, p float64) float64 { return math.Max(0, p-x[i]*y[j]) }, m)
	}
	return v, w, product
}

// TestRulesOfOtherPrograms compares what the options that Multipliers names give with
// what those programs give, after 50 iterations: up to rounding from the same start, and
// without penalties to some five digits from InitSVD.
func TestRulesOfOtherPrograms(t *testing.T) {
	const iterations = 50
	authors := func(m *mat.Dense, x, y []float64, sigma float64) ([]float64, []float64) {
		return authorsRule(m, x, y, sigma, iterations)
	}
	sparse := func(part, least, most float64) func(m *mat.Dense, x, y []float64, sigma float64) ([]float64, []float64) {
		return func(m *mat.Dense, x, y []float64, sigma float64) ([]float64, []float64) {
			return sparseRule(m, x, y, sigma, part, least, most, iterations)
		}
	}
	start := lnmu.GNMU{Inner: 1, Multipliers: lnmu.MultipliersStart}
	offset := start
	offset.StepOffset = 1
	for _, shape := range [][2]int{{40, 25}, {25, 40}, {300, 12}} {
		m := gonum.To(lnmutest.Data[float64](shape[0], shape[1], 5))
		for _, c := range []struct {
			name   string
			rule   func(m *mat.Dense, x, y []float64, sigma float64) ([]float64, []float64)
			method lnmu.RNMU
		}{
			{"authors", authors, lnmu.RNMU{GNMU: offset}},
			{"MCRA without a penalty", sparse(0, 0, 1), lnmu.RNMU{GNMU: start}},
			{"MCRA", sparse(0.2, 0.01, 1), lnmu.RNMU{GNMU: start, ThresholdV: 0.2}},
			{"MCRA, very sparse", sparse(0.7, 0.01, 1), lnmu.RNMU{GNMU: start, ThresholdV: 0.7}},
			{"sparse, adapted", sparse(0.1, 0.4, 0.4), lnmu.RNMU{GNMU: start, SparsityV: 0.6}},
			{"sparse, adapted from above", sparse(0.6, 0.8, 0.8), lnmu.RNMU{GNMU: start, ThresholdV: 0.6, SparsityV: 0.2}},
		} {
			t.Run(fmt.Sprintf("%s %dx%d", c.name, shape[0], shape[1]), func(t *testing.T) {
				v, w, want := recursionOf(m, 3, c.rule)
				res := must.Get(lnmu.FactorFrom(t.Context(), gonum.From[float64](m), v, w, c.method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}}))(t)
				own := must.Get(lnmu.Factor(t.Context(), gonum.From[float64](m), 3, c.method, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}, Limits: lnmu.Limits{Iterations: iterations}}))(t)
				for _, x := range []struct {
					name string
					res  *lnmu.Result[float64]
					most float64
				}{{"the same start", res, 1e-9}, {"InitSVD", own, 2e-5}} {
					if x.res == own && c.method.ThresholdV+c.method.SparsityV > 0 {
						continue // a penalty may turn on a digit that the start does not have
					}
					must.Below(t, literal.Apart(literal.Product(x.res.V, x.res.W), gonum.From[float64](want)), x.most, "from", x.name, "relative difference of V W")
				}
			})
		}
	}
}
