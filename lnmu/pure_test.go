package lnmu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// mixture returns an m x n matrix of rank columns, some of whose entries are zero, at the given
// places, and of mixtures of these.
func mixture[T lnmu.Float](m, n, rank int, at []int) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(11, 0))
	x, v := lnmu.NewDense[T](m, n, nil), lnmu.NewDense[float64](m, rank, nil)
	for i := range v.Data {
		if v.Data[i] = max(0, rng.Float64()-0.4); i%rank == 0 {
			v.Data[i]++ // so that no row is zero
		}
	}
	for j := range n {
		h, sum := make([]float64, rank), 0.0
		for k := range h {
			h[k] = rng.Float64()
			sum += h[k]
		}
		for k := range h {
			h[k] /= sum
		}
		for k, to := range at {
			if to == j {
				clear(h)
				h[k] = 1
			}
		}
		for i := range m {
			var sum float64
			for k, a := range h {
				sum += float64(a * v.At(i, k))
			}
			x.Row(i)[j] = T(sum)
		}
	}
	return x
}

// TestInitPure: from the pure columns of a matrix, which SPA and SNPA find, every method
// reaches its error in no time; a dense matrix and a sparse one have the same columns, and
// threads change no bit.
func TestInitPure(t *testing.T) {
	for _, shape := range [][2]int{{90, 40}, {40, 90}} {
		m := mixture[float64](shape[0], shape[1], 4, []int{3, 8, 21, 35})
		for _, init := range []lnmu.Choice{lnmu.InitSPA, lnmu.InitSNPA} {
			s := lnmu.Settings{Start: lnmu.Start{Init: init}, Limits: lnmu.Limits{Iterations: 1}, Threads: 1}
			res := must.Get(lnmu.Factor(t.Context(), m, 4, lnmu.NMF{}, &s))(t)
			must.Below(t, res.RelativeError, 1e-12, shape, init, "relative error")
			sparse := must.Get(lnmu.Factor(t.Context(), lnmu.NewCSR(m), 4, lnmu.NMF{}, &s))(t)
			for i, x := range sparse.V.Data {
				if math.Abs(x-res.V.Data[i]) > 1e-12 {
					t.Fatalf("%v, %s: V of a sparse matrix has %v at entry %d, of a dense one %v", shape, init, x, i, res.V.Data[i])
				}
			}
			for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.SNMF{SparsityV: 0.3, SparsityW: 0.3}, lnmu.Hoyer{HoyerV: 0.3}} {
				one, err := lnmu.Factor(t.Context(), m, 6, method, &lnmu.Settings{Start: lnmu.Start{Init: init}, Limits: lnmu.Limits{Iterations: 3}, Threads: 1}) // more than there are
				if err != nil {
					t.Fatalf("%v, %s, %s: %v", shape, init, lnmutest.NameOf(method), err)
				}
				three, err := lnmu.Factor(t.Context(), m, 6, method, &lnmu.Settings{Start: lnmu.Start{Init: init}, Limits: lnmu.Limits{Iterations: 3}, Threads: 3})
				if err != nil || factors.SHA256(one.V) != factors.SHA256(three.V) || factors.SHA256(one.W) != factors.SHA256(three.W) || !(one.RelativeError < 1) {
					t.Errorf("%v, %s, %s: other factors with 3 threads, or an error of %v, %v", shape, init, lnmutest.NameOf(method), one.RelativeError, err)
				}
			}
		}
		single, err := lnmu.Factor(t.Context(), mixture[float32](shape[0], shape[1], 4, []int{3, 8, 21, 35}), 4, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSNPA}, Limits: lnmu.Limits{Iterations: 1}})
		if err != nil || !(single.RelativeError < 1e-4) {
			t.Errorf("%v, float32: relative error %v, %v", shape, single.RelativeError, err)
		}
	}
}

// sumsOf returns the largest distance from 1 of the sums of rows of V, or of columns of W.
func sumsOf[T lnmu.Float](res *lnmu.Result[T], ofV bool) (worst float64) {
	x := res.V
	if !ofV {
		x = lnmu.NewDense[T](res.W.Cols, res.W.Rows, nil)
		for i := range x.Rows {
			for k := range x.Cols {
				x.Row(i)[k] = res.W.At(k, i)
			}
		}
	}
	for i := range x.Rows {
		var sum float64
		for _, a := range x.Row(i) {
			sum += float64(a)
		}
		worst = max(worst, math.Abs(sum-1))
	}
	return worst
}

// TestSumToOne: the sums of nmf are 1 within 1e-12, with every solver, on every storage, with
// missing entries and weights; the error falls below that of any scaling of one factor, and
// the factors of a mixture with these sums are found.
func TestSumToOne(t *testing.T) {
	for _, shape := range [][2]int{{50, 23}, {23, 50}} {
		dense := mixture[float64](shape[0], shape[1], 3, []int{3, 8, 17})
		turned := lnmu.NewDense[float64](shape[1], shape[0], nil)
		for i := range turned.Rows {
			for j := range turned.Cols {
				turned.Row(i)[j] = dense.At(j, i)
			}
		}
		mask, weights := lnmu.NewMask(shape[0], shape[1]), lnmu.NewDense[float64](shape[0], shape[1], nil)
		for i := range shape[0] {
			for j := range shape[1] {
				mask.Set(i, j, (i+j)%7 != 0)
				weights.Row(i)[j] = 1 + float64((i*j)%3)
			}
		}
		for _, solver := range solversOf(lnmu.NMF{}) {
			for _, rank := range []int{1, 3} {
				last := map[string]*lnmu.Result[float64]{}
				for _, c := range []struct {
					name  string
					m     lnmu.Matrix[float64]
					exact bool
				}{
					{"dense", dense, false}, {"sparse", lnmu.NewCSR(dense), false}, {"missing", lnmu.Observed[float64]{Matrix: dense, Mask: mask}, false},
					{"missing, exactly", lnmu.Observed[float64]{Matrix: dense, Mask: mask}, true}, {"weights", lnmu.Observed[float64]{Matrix: dense, Weights: weights}, false},
					{"sparse, the others missing", lnmu.Observed[float64]{Matrix: lnmu.NewCSR(dense), StoredOnly: true}, false},
				} {
					name := fmt.Sprintf("%v, %s, rank %d, %s", shape, solver, rank, c.name)
					s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 200}, Start: lnmu.Start{Seed: 5, Restarts: 1}}
					if c.exact {
						s.MissingSolver = lnmu.MissingExact
					}
					res := must.Get(lnmu.Factor(t.Context(), c.m, rank, lnmu.NMF{Solver: solver, SumToOneW: true}, &s))(t, name)
					must.AtMost(t, sumsOf(res, false), 1e-12, name, "the sums of columns of W are 1 within")
					if rank == 3 && !(res.RelativeError < 0.02) {
						t.Errorf("%s: relative error %v", name, res.RelativeError)
					}
					last[c.name] = res
				}
				of := must.Get(lnmu.Factor(t.Context(), turned, rank, lnmu.NMF{Solver: solver, SumToOneV: true}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 200}, Start: lnmu.Start{Seed: 4, Restarts: 1}}))(t)
				must.AtMost(t, sumsOf(of, true), 1e-12, shape, solver, "rank", rank, "the sums of rows of V are 1 within")
				if d := math.Abs(last["dense"].RelativeError - last["sparse"].RelativeError); d > 1e-9 && solver == lnmu.SolverHALS {
					t.Errorf("%v, %s, rank %d: the error of the sparse matrix is off by %v", shape, solver, rank, d)
				}
			}
		}
		pure, err := lnmu.Factor(t.Context(), dense, 3, lnmu.NMF{SumToOneW: true}, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSNPA}, Limits: lnmu.Limits{Iterations: 5}})
		if err != nil || !(pure.RelativeError < 1e-12) {
			t.Errorf("%v: from the pure columns a relative error of %v, %v", shape, pure.RelativeError, err)
		}
	}
}

// TestTransformSumToOne: the weights add up to 1 within 1e-12, no shift from one factor to
// another makes them better, and those of mixtures are found; of dense columns, sparse ones
// and incomplete ones, on any number of threads.
func TestTransformSumToOne(t *testing.T) {
	v := mixture[float64](30, 4, 4, []int{0, 1, 2, 3})
	mixed := mixture[float64](30, 80, 4, []int{3, 8, 21, 35})
	noisy := lnmutest.Data[float64](30, 80, 5)
	mask := lnmu.NewMask(30, 80)
	for i := range 30 {
		for j := range 80 {
			mask.Set(i, j, (i+3*j)%5 != 0)
		}
	}
	for _, c := range []struct {
		name  string
		m     lnmu.Matrix[float64]
		exact bool
	}{
		{"mixtures", mixed, true}, {"sparse mixtures", lnmu.NewCSR(mixed), true}, {"mixtures with gaps", lnmu.Observed[float64]{Matrix: mixed, Mask: mask}, true},
		{"random", noisy, false},
	} {
		res := must.Get(lnmu.Transform(t.Context(), c.m, v, lnmu.Dense[float64]{}, &lnmu.TransformSettings{SumToOne: true, Threads: 1}))(t, c.name)
		if worst := sumsOf(&lnmu.Result[float64]{W: res.W}, false); worst > 1e-12 || res.Finished != 80 || res.KKT > 1e-10 || res.Stop != outcome.StopTolerance {
			t.Errorf("%s: sums within %v, %d finished, KKT residual %v, %s", c.name, worst, res.Finished, res.KKT, res.Stop)
		}
		must.Equal(t, c.exact, res.RelativeError < 1e-10, c.name, "relative error", res.RelativeError)
		three := must.Get(lnmu.Transform(t.Context(), c.m, v, lnmu.Dense[float64]{}, &lnmu.TransformSettings{SumToOne: true, Threads: 3}))(t)
		must.Equal(t, factors.SHA256(three.W), factors.SHA256(res.W), c.name, "other weights on 3 threads")
		if c.exact {
			continue
		}
		squares := func(j, from, to int, by float64) (sum float64) {
			for i := range v.Rows {
				e := noisy.At(i, j) + by*(v.At(i, from)-v.At(i, to))
				for k := range v.Cols {
					e -= v.At(i, k) * res.W.At(k, j)
				}
				sum += e * e
			}
			return sum
		}
		for j := range 80 {
			least := squares(j, 0, 0, 0)
			for from := range 4 {
				for to := range 4 {
					if by := res.W.At(from, j) / 100; by > 0 && squares(j, from, to, by) < least {
						t.Errorf("column %d: less of factor %d and more of factor %d is better", j, from, to)
					}
				}
			}
		}
	}
	for _, s := range []lnmu.TransformSettings{{SumToOne: true, Feasible: true}, {SumToOne: true, Iterations: 3}, {SumToOne: true, Tolerance: 0.1}} {
		must.Refuse(lnmu.Transform(t.Context(), mixed, v, lnmu.Dense[float64]{}, &s))(t, lnmu.ErrOption, "", s)
	}
}
