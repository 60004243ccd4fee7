package lnmu_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// The theorems of the paper as properties of random problems.

// exact is the recursion whose factors never exceed M.
var exact = lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}

// problems calls check for random problems, and says which one fails.
func problems(t *testing.T, check func(rng *rand.Rand)) {
	for seed := range uint64(100) {
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("problem %d", seed)
				}
			}()
			check(rand.New(rand.NewPCG(seed, 0)))
		}()
		if t.Failed() {
			return
		}
	}
}

// matrixOf draws a nonnegative m x n matrix whose entries are zero with a drawn
// probability. Entries are multiples of 1/8, so that zeros of products and
// differences are exact.
func matrixOf(rng *rand.Rand, m, n int) *mat.Dense {
	zeros := rng.IntN(9)
	x := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			if rng.IntN(10) >= zeros {
				x.Set(i, j, float64(1+rng.IntN(64))/8)
			}
		}
	}
	return x
}

// share returns s(·): the proportion of zeros.
func share(x []float64) float64 {
	zeros := 0
	for _, a := range x {
		if a == 0 {
			zeros++
		}
	}
	return float64(zeros) / float64(len(x))
}

// TestSparsityOfRecursion checks Corollary 1 of the program's own R-NMU, made
// feasible.
func TestSparsityOfRecursion(t *testing.T) {
	problems(t, func(rng *rand.Rand) {
		m, n := 2+rng.IntN(7), 2+rng.IntN(7)
		x := matrixOf(rng, m, n)
		rank := min(m, n, 3)
		res := must.Get(lnmu.Factor(t.Context(), gonum.From[float64](x), rank, exact, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 30}}))(t)
		whole := share(x.RawMatrix().Data)
		for k := range res.V.Cols {
			v := make([]float64, m)
			for i := range v {
				v[i] = res.V.At(i, k)
			}
			if sv, sw := share(v), share(res.W.Row(k)); sv+sw < whole-1e-12 {
				t.Errorf("factor %d: s(v) + s(w) = %v + %v, s(M) = %v", k, sv, sw, whole)
			}
		}
	})
}

// improveWithin brings a feasible pair v, w to a point where neither alone can be
// bettered: v_i = min_j R_ij/w_j over the support of w, and w likewise, which is
// the optimum since a single v_i (w_j) is bettered by being larger until it
// touches R (section 2.2, proof of Theorem 2). Supports do not grow.
func improveWithin(r *mat.Dense, v, w []float64) {
	m, n := r.Dims()
	for i := range m {
		if v[i] > 0 {
			v[i] = math.Inf(1)
			for j := range n {
				if w[j] > 0 {
					v[i] = math.Min(v[i], r.At(i, j)/w[j])
				}
			}
		}
	}
	for j := range n {
		if w[j] > 0 {
			w[j] = math.Inf(1)
			for i := range m {
				if v[i] > 0 {
					w[j] = math.Min(w[j], r.At(i, j)/v[i])
				}
			}
		}
	}
}

// TestZerosOfResidual checks Theorem 2: on the supports I and J of a rank-one
// underapproximation by the program, made exact and brought to a point where
// neither factor alone can be bettered, the residual has a zero in each row and
// each column.
func TestZerosOfResidual(t *testing.T) {
	problems(t, func(rng *rand.Rand) {
		m, n := 1+rng.IntN(8), 1+rng.IntN(8)
		x := matrixOf(rng, m, n)
		res := must.Get(lnmu.Factor(t.Context(), gonum.From[float64](x), 1, exact, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 50}}))(t)
		v, w := append([]float64(nil), res.V.Data...), append([]float64(nil), res.W.Data...)
		if !(mat.Max(mat.NewVecDense(m, v)) > 0 && mat.Max(mat.NewVecDense(n, w)) > 0) {
			return // zero: I and J are empty
		}
		improveWithin(x, v, w)
		var squares float64
		largest := mat.Max(x)
		atRow, atCol := make([]bool, m), make([]bool, n)
		for i := range m {
			for j := range n {
				r := x.At(i, j) - v[i]*w[j]
				squares += r * r
				must.AtLeast(t, r, -1e-12*largest, "R[", i, j, "]")
				if r < 1e-12*largest {
					atRow[i], atCol[j] = true, true
				}
			}
		}
		for i, a := range v {
			if a > 0 && !atRow[i] {
				t.Errorf("no zero in row %d of R(I,J)", i)
			}
		}
		for j, b := range w {
			if b > 0 && !atCol[j] {
				t.Errorf("no zero in column %d of R(I,J)", j)
			}
		}
		must.AtMost(t, math.Sqrt(squares)/mat.Norm(x, 2), res.RelativeError*(1+1e-9)+1e-12, "the error rose from", res.RelativeError, "to")
	})
}

// TestWeakDuality checks that the dual function bounds every underapproximation
// from below (section 3) where it is known: for r = 1 and M - Λ >= 0 its inner
// minimum is that of the first singular triplet of M - Λ (section 2.1).
func TestWeakDuality(t *testing.T) {
	problems(t, func(rng *rand.Rand) {
		m, n := 1+rng.IntN(7), 1+rng.IntN(7)
		x := matrixOf(rng, m, n)
		lambda, shifted := mat.NewDense(m, n, nil), mat.NewDense(m, n, nil)
		for i := range m {
			for j := range n {
				lambda.Set(i, j, x.At(i, j)*float64(rng.IntN(5))/4)
				shifted.Set(i, j, x.At(i, j)-lambda.At(i, j))
			}
		}
		var svd mat.SVD
		if !svd.Factorize(shifted, mat.SVDNone) {
			t.Fatal("no SVD")
		}
		first, all, l := svd.Values(nil)[0], mat.Norm(shifted, 2), mat.Norm(lambda, 2)
		dual := (all*all - first*first - l*l) / 2
		res := must.Get(lnmu.Factor(t.Context(), gonum.From[float64](x), 1, exact, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 30}}))(t)
		var squares float64
		for i := range m {
			for j := range n {
				e := x.At(i, j) - res.V.Data[i]*res.W.Data[j]
				squares += e * e
			}
		}
		if primal := squares / 2; primal < dual-1e-12*(1+all*all) {
			t.Errorf("½||M - v w||² = %v, the dual function is %v", primal, dual)
		}
	})
}

// TestScaleInvariance checks that M and 4^k M, from starts that are 2^k as large,
// have the same factors bit for bit, up to the scale: nothing in the methods
// depends on the unit of the data.
func TestScaleInvariance(t *testing.T) {
	precisions(t, scaleInvariance[float64], scaleInvariance[float32])
}

func scaleInvariance[T lnmu.Float](t *testing.T) {
	problems(t, func(rng *rand.Rand) {
		m, n := 3+rng.IntN(28), 3+rng.IntN(28)
		k := -8 + rng.IntN(17)
		seed := rng.Uint64()
		x := lnmutest.Data[T](m, n, seed)
		unit := T(math.Exp2(float64(k)))
		square, cube := float64(unit*unit), float64(unit*unit*unit)
		all := []struct {
			method, big lnmu.Method
			init        lnmu.Choice
		}{
			{lnmu.NMF{}, lnmu.NMF{}, ""}, {lnmu.GNMU{}, lnmu.GNMU{}, ""}, {lnmu.RNMU{}, lnmu.RNMU{}, ""}, {lnmu.RNMU{Block: 2}, lnmu.RNMU{Block: 2}, ""},
			{lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.4}, lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.4}, ""},
			{lnmu.SNMF{PenaltyV: 0.02, PenaltyW: 0.03}, lnmu.SNMF{PenaltyV: 0.02 * cube, PenaltyW: 0.03 * cube}, ""},
			{lnmu.NMF{L2V: 0.02, L2W: 0.03}, lnmu.NMF{L2V: 0.02 * square, L2W: 0.03 * square}, ""},
			{lnmu.Hoyer{HoyerV: 0.5}, lnmu.Hoyer{HoyerV: 0.5}, ""}, {lnmu.Hoyer{HoyerW: 0.5}, lnmu.Hoyer{HoyerW: 0.5}, ""},
			{lineOf(m), lineOf(m), ""}, {lnmu.RNMU{ThresholdV: 0.3, SparsityW: 0.5}, lnmu.RNMU{ThresholdV: 0.3, SparsityW: 0.5}, ""},
			{lnmu.NMF{}, lnmu.NMF{}, lnmu.InitSVD}, {lnmu.RNMU{}, lnmu.RNMU{}, lnmu.InitSVD},
		}
		c := all[rng.IntN(len(all))]
		s := lnmu.Settings{Start: lnmu.Start{Init: c.init, Restarts: 1}, Limits: lnmu.Limits{Iterations: 20}}
		factor := func(x lnmu.Dense[T], method lnmu.Method, unit T) *lnmu.Result[T] {
			var res *lnmu.Result[T]
			var err error
			if c.init == "" {
				v, w := lnmutest.RandomStart[T](m, n, 3, seed)
				res, err = lnmu.FactorFrom(t.Context(), x, times(v, unit), times(w, unit), method, &s)
			} else {
				res, err = lnmu.Factor(t.Context(), x, 3, method, &s)
			}
			must.Do(t, err)
			return res
		}
		a, b := factor(x, c.method, 1), factor(times(x, unit*unit), c.big, unit)
		if vanishing(a.V) || vanishing(a.W) || vanishing(b.V) || vanishing(b.W) {
			return // the rule of Hoyer for a free factor may shrink an entry to a subnormal number, which is not scaled exactly
		}
		ofV, ofW := unit, unit
		if lnmutest.NameOf(c.method) == "hoyer" { // the rows of W have norm 1
			ofV, ofW = unit*unit, 1
		}
		if factors.SHA256(times(a.V, ofV)) != factors.SHA256(b.V) || factors.SHA256(times(a.W, ofW)) != factors.SHA256(b.W) {
			t.Errorf("V or W differ in more than the scale")
		}
		must.Equal(t, a.RelativeError, b.RelativeError, "relative errors")
	})
}

// lineOf returns priors of a V of m rows that shows a line of pixels.
func lineOf(m int) lnmu.RNMU {
	return lnmu.RNMU{SmoothV: 0.2, ShapeV: [2]int{m, 1}, ThresholdV: 0.1}
}

// vanishing reports whether a positive entry of x is next to nothing.
func vanishing[T lnmu.Float](x lnmu.Dense[T]) bool {
	return slices.ContainsFunc(x.Data, func(a T) bool { return a > 0 && a < 0x1p-100 })
}

// times returns a x.
func times[T lnmu.Float](x lnmu.Dense[T], a T) lnmu.Dense[T] {
	y := matrix.Clone(x)
	for i := range y.Data {
		y.Data[i] *= a
	}
	return y
}
