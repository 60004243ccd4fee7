package lnmu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestFoldIn: weights by the divergence are those of as many literal rounds, of dense and sparse
// matrices with the same bits, whatever the number of threads and the columns beside.
func TestFoldIn(t *testing.T) {
	precisions(t, func(t *testing.T) { testFoldIn[float64](t, 1e-13) },
		func(t *testing.T) { testFoldIn[float32](t, 4e-6) })
}

func testFoldIn[T lnmu.Float](t *testing.T, near float64) {
	const rounds = 2
	for _, c := range []struct {
		rows, cols, rank int
		mean             float64
	}{{1, 1, 1, 3}, {40, 70, 3, 5}, {70, 9, 4, 0.3}, {23, 65, 5, 100}} {
		rng := rand.New(rand.NewPCG(7, uint64(c.rows)))
		m, v := lnmu.NewDense[T](c.rows, c.cols, nil), lnmutest.Data[T](c.rows, c.rank, 2)
		for i := range m.Data {
			m.Data[i] = T(drawCount(rng, c.mean))
		}
		for j := range c.cols / 9 { // columns of nothing
			for i := range c.rows {
				m.Row(i)[9*j+3] = 0
			}
		}
		mask := lnmu.NewMask(c.rows, c.cols)
		weights := lnmu.NewDense[float64](c.rows, c.cols, nil)
		for i := range c.rows {
			for j := range c.cols {
				weights.Row(i)[j] = 0.25 * float64(1+(i+j)%4)
				if (3*i+j)%5 == 4 {
					mask.Set(i, j, false)
				}
			}
		}
		settings := func(threads int) *lnmu.TransformSettings {
			return &lnmu.TransformSettings{Divergence: true, Tolerance: 1e-300, Iterations: rounds, Threads: threads}
		}
		for name, x := range map[string]lnmu.Matrix[T]{
			"complete": m, "masked": lnmu.Observed[T]{Matrix: m, Mask: mask}, "weighted": lnmu.Observed[T]{Matrix: m, Mask: mask, Weights: weights},
		} {
			u := lnmutest.Ones[float64](c.rows, c.cols)
			for i := range c.rows {
				for j := range c.cols {
					if name == "weighted" {
						u.Row(i)[j] = weights.At(i, j)
					}
					if name != "complete" && !mask.Observed(i, j) {
						u.Row(i)[j] = 0
					}
				}
			}
			got := must.Get(lnmu.Transform(t.Context(), x, v, lnmu.Dense[T]{}, settings(2)))(t)
			want, kkt := literalFoldIn(m, u, v, rounds)
			if c.rank > 1 && (got.Stop != outcome.StopIterations || got.IterationsDone != rounds || got.Finished != c.cols || math.Abs(got.KKT-kkt) > near) {
				t.Errorf("%v, %s: %s after %d rounds, KKT residual %v, want %v, %d columns", c, name, got.Stop, got.IterationsDone, got.KKT, kkt, got.Finished)
			}
			for j := range c.cols {
				var total float64
				for k := range c.rank {
					total += want.At(k, j)
				}
				for k := range c.rank {
					if a, b := float64(got.W.At(k, j)), want.At(k, j); math.Abs(a-b) > near*total {
						t.Fatalf("%v, %s: weight (%d, %d) is %v, want %v", c, name, k, j, a, b)
					}
				}
			}
			p := literal.Problem{M: literal.As[float64](m), U: u}
			null, total := p.Null(), p.Total()
			if want := p.Divergence(literal.As[float64](v), literal.As[float64](got.W)); null > near*total && math.Abs(got.RelativeDivergence*null-want) > near*total {
				t.Errorf("%v, %s: relative divergence %v, want %v", c, name, got.RelativeDivergence, want/null)
			}
			one, err := lnmu.Transform(t.Context(), x, v, lnmu.Dense[T]{}, settings(1))
			if err != nil || factors.SHA256(one.W) != factors.SHA256(got.W) || one.RelativeDivergence != got.RelativeDivergence {
				t.Errorf("%v, %s: one thread gives other weights, error %v", c, name, err)
			}
			if name != "complete" {
				continue
			}
			sparse, err := lnmu.Transform(t.Context(), lnmu.NewCSR(m), v, lnmu.Dense[T]{}, settings(2))
			if err != nil || factors.SHA256(sparse.W) != factors.SHA256(got.W) || sparse.RelativeDivergence != got.RelativeDivergence || sparse.KKT != got.KKT || sparse.IterationsDone != got.IterationsDone {
				t.Errorf("%v: a sparse matrix has other weights, error %v", c, err)
			}
			last := lnmu.NewDense[T](c.rows, 1, nil)
			for i := range c.rows {
				last.Row(i)[0] = m.At(i, c.cols-1)
			}
			alone := must.Get(lnmu.Transform(t.Context(), last, v, lnmu.Dense[T]{}, settings(1)))(t)
			for k := range c.rank {
				must.Equal(t, alone.W.At(k, 0), got.W.At(k, c.cols-1), c, "the weights of a column depend on the columns beside it")
			}
		}
	}
}

// literalFoldIn makes so many rounds of coordinate steps for W, from equal parts, in float64, and
// returns the KKT residual.
func literalFoldIn[T lnmu.Float](m lnmu.Dense[T], u lnmu.Dense[float64], v lnmu.Dense[T], rounds int) (w lnmu.Dense[float64], kkt float64) {
	x := literal.KL{Problem: literal.Problem{M: literal.As[float64](m), U: u}, V: literal.As[float64](v)}
	sums := literal.Product(x.V.Transposed(), u)
	totals := literal.Product(lnmutest.Ones[float64](1, m.Rows), literal.New(m.Rows, m.Cols, func(i, j int) float64 { return u.At(i, j) * x.M.At(i, j) })).Data
	x.W = literal.New(v.Cols, m.Cols, func(k, j int) float64 { return totals[j] / float64(v.Cols) / sums.At(k, j) })
	for range rounds {
		x.CoordinatesOf(false)
	}
	for j, total := range totals {
		for k := range v.Cols {
			product := 0.0
			for i := range m.Rows {
				if a := u.At(i, j) * x.M.At(i, j); a > 0 {
					product += x.V.At(i, k) * a / literal.Entry(x.V, x.W, i, j)
				}
			}
			if total > 0 {
				kkt = max(kkt, math.Abs(min(x.W.At(k, j)*sums.At(k, j)/total, 1-product/sums.At(k, j))))
			}
		}
	}
	return x.W, kkt
}

// TestFoldInFit: the weights of a fit are a fixed point: the columns that were fitted have these
// weights again, from the fit and from equal parts.
func TestFoldInFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v, w := lnmutest.Data[float64](30, 3, 1), lnmutest.Data[float64](3, 50, 2)
	m := countsAbout[float64](rng, times(v, 20), w)
	fit := must.Get(lnmu.Factor(t.Context(), m, 3, lnmu.KL{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 3000}, Start: lnmu.Start{Restarts: 1}}))(t)
	for name, start := range map[string]lnmu.Dense[float64]{"fit": fit.W, "equal parts": {}} {
		res := must.Get(lnmu.Transform(t.Context(), m, fit.V, start, &lnmu.TransformSettings{Divergence: true, Tolerance: 1e-7}))(t)
		if res.Stop != outcome.StopTolerance || !(res.KKT <= 1e-7) {
			t.Errorf("from %s: %s, KKT residual %v", name, res.Stop, res.KKT)
		}
		for j := range m.Cols {
			var sum float64
			for k := range 3 {
				sum += fit.W.At(k, j)
			}
			for k := range 3 {
				if a, b := res.W.At(k, j), fit.W.At(k, j); math.Abs(a-b) > 1e-4*sum {
					t.Errorf("from %s: weight (%d, %d) is %v, in the fit %v", name, k, j, a, b)
				}
			}
		}
		must.AtMost(t, math.Abs(res.RelativeDivergence-fit.RelativeDivergence), 1e-8, "from", name, "relative divergence")
	}
}

// TestFoldInZeros: zero columns of V and of M, rows of V of zeros and a start with zeros give
// finite weights.
func TestFoldInZeros(t *testing.T) {
	v := lnmu.NewDense(3, 3, []float64{1, 0, 2, 0, 0, 0, 3, 0, 1})
	m := lnmu.NewDense(3, 3, []float64{4, 0, 1e150, 5, 0, 1e-300, 6, 0, 5e-324})
	start := lnmu.NewDense(3, 3, []float64{1, 1, 0, 1, 1, 1, 1, 0, 1})
	for name, w := range map[string]lnmu.Dense[float64]{"no start": {}, "start": start} {
		for _, x := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m)} {
			res := must.Get(lnmu.Transform(t.Context(), x, v, w, &lnmu.TransformSettings{Divergence: true, Iterations: 50}))(t)
			must.Do(t, checkValues("W", res.W), name)
			if res.W.At(1, 0) != 0 || res.W.At(0, 1) != 0 || math.IsNaN(res.KKT) || math.IsNaN(res.RelativeDivergence) {
				t.Errorf("%s: %+v", name, res)
			}
		}
	}
}
