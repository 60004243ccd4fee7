package lnmu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/outcome"
)

// streamOf returns m x n numbers of a planted model: sparse factors and noise, clipped at 0.
func streamOf(m, n, r int, noise float64, seed uint64) lnmu.Dense[float64] {
	from := rand.New(rand.NewPCG(seed, 1))
	v, w, x := lnmu.NewDense[float64](m, r, nil), lnmu.NewDense[float64](r, n, nil), lnmu.NewDense[float64](m, n, nil)
	for _, f := range []lnmu.Dense[float64]{v, w} {
		for i := range f.Data {
			if from.Float64() < 0.6 {
				f.Data[i] = from.Float64()
			}
		}
	}
	for i := range m {
		for j := range n {
			x.Row(i)[j] = max(0, noise*from.NormFloat64()+literal.Entry(v, w, i, j))
		}
	}
	return x
}

// updateBy factors the first columns of a matrix, and updates by all of them, some at a time.
func updateBy(t *testing.T, m lnmu.Dense[float64], rank, batch int) lnmu.Dense[float64] {
	t.Helper()
	first := must.Get(lnmu.Factor(t.Context(), m.Slice(0, m.Rows, 0, batch), rank, lnmu.NMF{}, &lnmu.Settings{Threads: 1}))(t)
	now := lnmu.Updated[float64]{V: first.V}
	for j := 0; j < m.Cols; j += batch {
		now = *must.Get(lnmu.Update(t.Context(), m.Slice(0, m.Rows, j, min(j+batch, m.Cols)), now, &lnmu.TransformSettings{Threads: 1}))(t)
	}
	return now.V
}

// TestUpdateByAllBatchesOfAStreamIsNearFactor: docs/command.md and python/README.md state how near, by the columns of a batch
// for each factor.
func TestUpdateByAllBatchesOfAStreamIsNearFactor(t *testing.T) {
	seeds, ranks := uint64(2), []int{5}
	if os.Getenv("NMU_FULL") != "" {
		seeds, ranks = 6, []int{3, 5, 10}
	}
	for _, rank := range ranks {
		for i, noise := range []float64{0, 0.01, 0.02, 0.05, 0.1} {
			for k, each := range []int{2, 4, 8, 16, 50} {
				for seed := range seeds {
					if !lnmutest.Rotate(5, 5, int(seed)).Takes(i, k) {
						continue
					}
					batch := each * rank
					m := streamOf(40, max(300, 6*batch), rank, noise, seed)
					whole := must.Get(lnmu.Factor(t.Context(), m, rank, lnmu.NMF{Solver: lnmu.SolverAccelerated}, &lnmu.Settings{Start: lnmu.Start{Restarts: 3}, Threads: 1}))(t)
					found := must.Get(transformOf(t.Context(), updateBy(t, m, rank, batch), m, nil))(t)
					now, want := found.RelativeError, whole.RelativeError
					what := fmt.Sprintf("rank %d, noise %v, %d columns a factor, seed %d: the error after one pass is %.4g, and Factor's %.4g", rank, noise, each, seed, now, want)
					switch {
					case each >= 8 && !(now <= 1.01*want+1e-5), each < 8 && !(now <= want+0.05):
						t.Error(what)
					case testing.Verbose():
						t.Log(what, now/want-1)
					}
				}
			}
		}
	}
}

func TestUpdateMakesHALSSweepsForTheSums(t *testing.T) {
	m, past := lnmutest.Data[float64](70, 90, 1), lnmutest.Data[float64](70, 40, 2)
	v := lnmutest.Data[float64](70, 4, 3)
	one := &lnmu.TransformSettings{Iterations: 1, Threads: 2}
	before := must.Get(lnmu.Update(t.Context(), past, lnmu.Updated[float64]{V: v}, one))(t)
	res := must.Get(lnmu.Update(t.Context(), m, *before, one))(t)
	weights := must.Get(transformOf(t.Context(), before.V, m, nil))(t)
	if factors.SHA256(res.New.W) != factors.SHA256(weights.W) || res.IterationsDone != 1 || res.Stop != outcome.StopIterations {
		t.Errorf("after one alternation (%d, %s) the weights are not those of Transform", res.IterationsDone, res.Stop)
	}

	// The sums are those of both batches, each with its weights.
	a, b := lnmu.NewDense[float64](4, 4, nil), lnmu.NewDense[float64](70, 4, nil)
	for _, x := range []struct{ m, w lnmu.Dense[float64] }{{past, before.New.W}, {m, res.New.W}} {
		for j := range x.m.Cols {
			for k := range 4 {
				for l := range 4 {
					a.Row(k)[l] += x.w.At(k, j) * x.w.At(l, j)
				}
				for i := range 70 {
					b.Row(i)[k] += x.m.At(i, j) * x.w.At(k, j)
				}
			}
		}
	}
	for _, x := range []struct{ found, want lnmu.Dense[float64] }{{res.WW, a}, {res.MW, b}} {
		must.AtMost(t, farthest(x.found, x.want), 1e-12, "the sums differ from those of both batches by")
	}

	// V is the one after as many sweeps as some number up to ten, from the earlier one.
	next, least := matrix.Clone(before.V), math.Inf(1)
	for range 10 {
		for i := range 70 {
			for k := range 4 {
				s := b.At(i, k)
				for l := range 4 {
					if l != k {
						s -= a.At(k, l) * next.At(i, l)
					}
				}
				next.Row(i)[k] = max(0, s/a.At(k, k))
			}
		}
		least = min(least, farthest(res.V.Slice(0, 64, 0, 4), next.Slice(0, 64, 0, 4)))
	}
	must.AtMost(t, least, 1e-9, "V differs from what sweeps give by")
}

// farthest returns the largest difference of two matrices, over the largest entry of one.
func farthest(x, y lnmu.Dense[float64]) float64 {
	var far, most float64
	for i := range x.Rows {
		for j := range x.Cols {
			far, most = max(far, math.Abs(x.At(i, j)-y.At(i, j))), max(most, y.At(i, j))
		}
	}
	return far / most
}

func TestUpdateHasTheSameBitsForAnyThreadsAndStorage(t *testing.T) {
	sparse := lnmutest.SparseData[float64](130, 150, 1)
	dense := sparse.Dense()
	v := lnmutest.RandomMatrix[float64](130, 5, 2)
	for i := range v.Rows {
		v.Row(i)[2] = 0 // a column that nothing uses
	}
	var all []string
	for _, m := range []lnmu.Matrix[float64]{dense, sparse, byColumns(130, 150, dense.Transposed().Data)} {
		for _, threads := range []int{1, 3} {
			res := must.Get(lnmu.Update(t.Context(), m, lnmu.Updated[float64]{V: v}, &lnmu.TransformSettings{Threads: threads}))(t)
			all = append(all, fmt.Sprint(factors.SHA256(res.V), factors.SHA256(res.WW), factors.SHA256(res.MW), res.IterationsDone))
		}
	}
	for _, x := range all[1:] {
		must.Equal(t, x, all[0], "one run found")
	}
}

func TestUpdateRefusals(t *testing.T) {
	m, v := lnmutest.Data[float64](6, 5, 1), lnmutest.Data[float64](6, 2, 2)
	sums := func(a, b, c int) lnmu.Updated[float64] {
		return lnmu.Updated[float64]{V: v, WW: lnmu.NewDense[float64](a, a, nil), MW: lnmu.NewDense[float64](b, c, nil)}
	}
	negative := sums(2, 6, 2)
	negative.MW.Row(3)[1] = -1
	var bad *lnmu.ValueError
	for _, c := range []struct {
		m    lnmu.Matrix[float64]
		past lnmu.Updated[float64]
		set  lnmu.TransformSettings
		want error
	}{
		{m, sums(3, 6, 2), lnmu.TransformSettings{}, lnmu.ErrShape},
		{m, sums(2, 5, 2), lnmu.TransformSettings{}, lnmu.ErrShape},
		{m, negative, lnmu.TransformSettings{}, lnmu.ErrValue},
		{m, sums(2, 6, 2), lnmu.TransformSettings{Iterations: -1}, lnmu.ErrOption},
		{m, sums(2, 6, 2), lnmu.TransformSettings{Threads: 4097}, lnmu.ErrOption},
		{m, sums(2, 6, 2), lnmu.TransformSettings{Tolerance: math.NaN()}, lnmu.ErrOption},
		{m, sums(2, 6, 2), lnmu.TransformSettings{Divergence: true}, lnmu.ErrOption},
		{lnmu.Observed[float64]{Matrix: m, Mask: lnmutest.Gaps(6, 5, 0.2, 1)}, sums(2, 6, 2), lnmu.TransformSettings{}, lnmu.ErrOption},
	} {
		must.Refuse(lnmu.Update(t.Context(), c.m, c.past, &c.set))(t, c.want, "", c.set)
	}
	if _, err := lnmu.Update(t.Context(), m, negative, nil); !errors.As(err, &bad) || bad.Row != 3 || bad.Col != 1 {
		t.Errorf("the negative sum is not named: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must.Refuse(lnmu.Update(ctx, m, lnmu.Updated[float64]{V: v}, nil))(t, context.Canceled, "", "a cancelled update returns")
}

// TestTolerancesByDefault: the default tolerances of Transform and Update, named, give the bits of the defaults; others do not.
func TestTolerancesByDefault(t *testing.T) {
	m := streamOf(60, 80, 6, 0.05, 1)
	v := must.Get(lnmu.Factor(t.Context(), m.Slice(0, 60, 0, 20), 6, lnmu.NMF{}, &lnmu.Settings{Threads: 1}))(t).V
	for call, c := range map[string]struct {
		tolerance float64
		of        func(s *lnmu.TransformSettings) string
	}{
		"Transform": {1e-6, func(s *lnmu.TransformSettings) string {
			return factors.SHA256(must.Get(lnmu.Transform(t.Context(), m, v, lnmu.Dense[float64]{}, s))(t).W)
		}},
		"Update": {1e-4, func(s *lnmu.TransformSettings) string {
			s.Iterations = 1000
			return factors.SHA256(must.Get(lnmu.Update(t.Context(), m, lnmu.Updated[float64]{V: v}, s))(t).V)
		}},
	} {
		byDefault := c.of(&lnmu.TransformSettings{})
		for _, times := range []float64{1. / 3, 1. / 2, 1, 2, 3} {
			must.Equal(t, c.of(&lnmu.TransformSettings{Tolerance: times * c.tolerance}) == byDefault, times == 1, call, "times", times)
		}
	}
}
