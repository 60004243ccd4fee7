package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// knownParts returns parts of factors for an m x n matrix.
func knownParts(m, n, columns, rows int, baseline bool) lnmu.Settings {
	v, w := lnmutest.RandomStart[float64](m, max(columns, rows), max(columns, rows), 11)
	_, w = lnmutest.RandomStart[float64](m, n, max(columns, rows), 12)
	f := lnmu.Settings{Baseline: baseline}
	if columns > 0 {
		f.FixedV = lnmu.Dense[float64]{Rows: m, Cols: columns, Stride: v.Stride, Data: v.Data}
	}
	if rows > 0 {
		f.FixedW = lnmu.Dense[float64]{Rows: rows, Cols: n, Stride: w.Stride, Data: w.Data}
	}
	return f
}

// wholes are the known columns of V and rows of W, by factor.
func wholes(f lnmu.Settings, m, n int) (columns, rows map[int][]float64) {
	columns, rows = map[int][]float64{}, map[int][]float64{}
	for k := range f.FixedV.Cols {
		for i := range m {
			columns[k] = append(columns[k], f.FixedV.Row(i)[k])
		}
	}
	k := f.FixedV.Cols
	if f.Baseline {
		for range n {
			rows[k] = append(rows[k], 1)
		}
		k++
	}
	for l := range f.FixedW.Rows {
		rows[k+l] = f.FixedW.Row(l)
	}
	return columns, rows
}

// fixes reports whether anything is fixed.
func fixes(f lnmu.Settings) bool { return f.FixedV.Cols > 0 || f.FixedW.Rows > 0 || f.Baseline }

// TestFixedStay checks that what is fixed comes back to the last bit, by every method, in
// either layout, and that the bits do not depend on the threads.
func TestFixedStay(t *testing.T) { precisions(t, fixedStay[float64], fixedStay[float32]) }

func fixedStay[T lnmu.Float](t *testing.T) {
	for _, shape := range [][2]int{{50, 30}, {30, 50}} {
		rows, cols := shape[0], shape[1]
		m := lnmutest.Data[T](rows, cols, 5)
		for _, f := range []lnmu.Settings{
			knownParts(rows, cols, 2, 0, false), knownParts(rows, cols, 0, 2, false), knownParts(rows, cols, 2, 1, true),
			{Baseline: true}, knownParts(rows, cols, 3, 2, false),
		} {
			columns, known := wholes(f, rows, cols)
			for _, method := range []lnmu.Method{
				lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Block: 3},
				lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, lnmu.RNMU{Block: 2, GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 4}},
				lnmu.GNMU{Multipliers: lnmu.MultipliersStart, Sweeps: 3},
				lnmu.RNMU{ThresholdV: 0.2, SparsityW: 0.3, SmoothV: 0.1, ShapeV: [2]int{rows / 2, 2}},
			} {
				for _, init := range []lnmu.Choice{lnmu.InitRandom, lnmu.InitSVD} {
					var first *lnmu.Result[T]
					for _, threads := range []int{1, 3} {
						res := must.Get(lnmu.Factor(t.Context(), m, 5, method, &lnmu.Settings{Start: lnmu.Start{Init: init, Restarts: 1}, Limits: lnmu.Limits{Iterations: 5}, FixedV: f.FixedV, FixedW: f.FixedW, Baseline: f.Baseline, Threads: threads}))(t)
						for k, column := range columns {
							for i, x := range column {
								if res.V.Row(i)[k] != T(x) {
									t.Fatalf("%s: column %d of V has become %v, was %v", lnmutest.NameOf(method), k, res.V.Row(i)[k], x)
								}
							}
						}
						for k, row := range known {
							for j, x := range row {
								if res.W.Row(k)[j] != T(x) {
									t.Fatalf("%s: row %d of W has become %v, was %v", lnmutest.NameOf(method), k, res.W.Row(k)[j], x)
								}
							}
						}
						must.Below(t, res.RelativeError, 1.2, lnmutest.NameOf(method), "relative error")
						if first == nil {
							first = res
						} else if !sameFactors(res, first) {
							t.Errorf("%s: another result with %d threads", lnmutest.NameOf(method), threads)
						}
					}
				}
			}
		}
	}
}

// TestBaseline checks that a baseline alone is the least entry of each row. Found together
// with a factor it is not determined, since a part of w may stand for it, but V W is.
func TestBaseline(t *testing.T) {
	for _, shape := range [][2]int{{40, 60}, {60, 40}} {
		rows, cols := shape[0], shape[1]
		m, v := lnmu.NewDense[float64](rows, cols, nil), lnmutest.Data[float64](rows, 1, 4)
		w := lnmutest.Data[float64](1, cols, 6)
		for j := range cols / 4 {
			w.Data[j] = 0 // there, only the offset is left
		}
		for i := range rows {
			for j := range cols {
				m.Row(i)[j] = 0.1 + 0.01*float64(i) + v.Data[i]*w.Data[j]
			}
		}
		admm := lnmu.GNMU{Solver: lnmu.SolverADMM}
		for _, c := range []struct {
			method lnmu.Method
			alone  bool // the offset is found before the factor
			within float64
		}{
			{lnmu.RNMU{GNMU: admm}, true, 0.005}, {lnmu.RNMU{}, true, 0.02},
			{lnmu.RNMU{Block: 2, GNMU: admm}, false, 0.02}, {lnmu.GNMU{}, false, 0.05}, {lnmu.NMF{}, false, 1e-6},
		} {
			res := must.Get(lnmu.Factor(t.Context(), m, 2, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 3}, Baseline: true}))(t)
			for i := range rows {
				if want, got := 0.1+0.01*float64(i), res.V.Row(i)[0]; c.alone && math.Abs(got-want) > c.within {
					t.Errorf("%s, %v: the offset of row %d is %.4f, want %.4f", lnmutest.NameOf(c.method), shape, i, got, want)
					break
				}
			}
			must.AtMost(t, res.RelativeError, c.within, lnmutest.NameOf(c.method), shape, "relative error")
		}
	}
}

// TestFixedOfNothing checks that fixed parts come back from a matrix that is zero or that
// they exhaust, that zero parts do no harm, and that all may be fixed.
func TestFixedOfNothing(t *testing.T) {
	const rows, cols = 12, 9
	f := knownParts(rows, cols, 2, 1, true)
	product := lnmu.NewDense[float64](rows, cols, nil)
	for i := range rows {
		for j := range cols {
			product.Row(i)[j] = f.FixedV.Row(i)[0] * float64(1+j)
		}
	}
	for name, m := range map[string]lnmu.Dense[float64]{"zero": lnmu.NewDense[float64](rows, cols, nil), "exhausted": product} {
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}} {
			for _, rank := range []int{4, 6} {
				res := must.Get(lnmu.Factor(t.Context(), m, rank, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, FixedV: f.FixedV, FixedW: f.FixedW, Baseline: f.Baseline}))(t)
				for i := range rows {
					if res.V.Row(i)[1] != f.FixedV.Row(i)[1] {
						t.Fatalf("%s, %s: the second column of V is not the fixed one", name, lnmutest.NameOf(method))
					}
				}
				if kernel.Min(res.W.Row(2)) != 1 || kernel.Max(res.W.Row(2)) != 1 || res.W.Row(3)[4] != f.FixedW.Row(0)[4] {
					t.Fatalf("%s, %s: rows of W are not the fixed ones", name, lnmutest.NameOf(method))
				}
				if name == "exhausted" && res.RelativeError > 0.05 {
					t.Errorf("%s: relative error %v", lnmutest.NameOf(method), res.RelativeError)
				}
			}
		}
	}
	zero := lnmu.Settings{FixedV: lnmu.NewDense[float64](rows, 1, nil), FixedW: lnmu.NewDense[float64](1, cols, nil)}
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.GNMU{Solver: lnmu.SolverADMM}} {
		res, err := lnmu.Factor(t.Context(), product, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, FixedV: zero.FixedV, FixedW: zero.FixedW, Baseline: zero.Baseline})
		if err != nil || !(res.RelativeError < 0.1) {
			t.Errorf("zero parts, %s: %v, %v", lnmutest.NameOf(method), res, err)
		}
	}
}

// TestBadFixed checks what is refused.
func TestBadFixed(t *testing.T) {
	m := lnmutest.Data[float64](12, 10, 1)
	with := func(x float64) lnmu.Dense[float64] {
		d := lnmu.NewDense[float64](12, 2, nil)
		d.Row(4)[1] = x
		return d
	}
	base := lnmu.Settings{Baseline: true}
	for _, c := range []struct {
		method lnmu.Method
		fixed  lnmu.Settings
		is     error
		says   string
	}{
		{nil, lnmu.Settings{FixedV: lnmu.NewDense[float64](11, 2, nil)}, lnmu.ErrShape, "the fixed V is 11 x 2, want 12 x 2"},
		{nil, lnmu.Settings{FixedW: lnmu.NewDense[float64](1, 12, nil)}, lnmu.ErrShape, "the fixed W is 1 x 12, want 1 x 10"},
		{nil, lnmu.Settings{FixedV: lnmu.Dense[float64]{Rows: 12, Cols: 2, Stride: 2, Data: make([]float64, 5)}}, lnmu.ErrShape, "fixed V"},
		{nil, lnmu.Settings{FixedV: lnmu.Dense[float64]{Rows: -12, Cols: 2, Stride: 2}}, lnmu.ErrShape, "negative size"},
		{nil, lnmu.Settings{FixedV: lnmu.Dense[float64]{Rows: 12, Cols: math.MaxInt, Stride: 2}, Baseline: true}, lnmu.ErrOption, "choose a larger rank"},
		{nil, lnmu.Settings{FixedV: with(math.NaN())}, lnmu.ErrValue, "row 5, column 2 of fixed V = NaN"},
		{nil, lnmu.Settings{FixedV: with(-1)}, lnmu.ErrValue, "row 5, column 2 of fixed V = -1 is negative"},
		{nil, lnmu.Settings{FixedV: with(1e200)}, lnmu.ErrValue, "column 2 of the fixed V overflows in float64; scale it down"},
		{nil, lnmu.Settings{FixedV: with(1), Baseline: true, FixedW: lnmu.NewDense[float64](1, 10, nil)}, lnmu.ErrOption, "2 fixed columns of V and 2 fixed rows of W in factors of rank 3"},
		{lnmu.SNMF{SparsityV: 0.5}, base, lnmu.ErrOption, "method snmf with fixed factors or a baseline: its penalties change the scale of all factors; choose nmf, gnmu, rnmu or kl"},
		{lnmu.Hoyer{HoyerV: 0.5}, base, lnmu.ErrOption, "method hoyer with fixed factors"},
		{lnmu.NMF{Solver: lnmu.SolverAccelerated}, base, lnmu.ErrOption, "solver accelerated with fixed factors"},
		{lnmu.RNMU{Norm: lnmu.L1}, base, lnmu.ErrOption, "norm l1 with fixed factors"},
		{lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, base, lnmu.ErrOption, "feasible final with fixed factors"},
	} {
		res, err := lnmu.Factor(t.Context(), m, 3, c.method, &c.fixed)
		if res != nil || !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%+v: %v; want an error that says %q", c.fixed, err, c.says)
		}
	}
	narrow := lnmu.NewDense[float32](12, 10, nil)
	narrow.Data[0] = 1
	must.Refuse(lnmu.Factor(t.Context(), narrow, 2, nil, &lnmu.Settings{FixedV: with(1e30)}))(t, lnmu.ErrValue, "overflows in float32", "in float32")
}
