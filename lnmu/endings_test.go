package lnmu_test

import (
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestZeros checks matrices that are zero in part or altogether, dense and sparse.
func TestZeros(t *testing.T) {
	for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}, lnmutest.AugmentedOf(0, 1, 2), lnmutest.AugmentedOf(1, 1, 1), lnmu.NMF{Solver: lnmu.SolverAccelerated}} {
		zero := lnmu.NewDense[float32](4, 7, nil)
		for _, m := range []lnmu.Matrix[float32]{zero, lnmu.NewCSR(zero)} {
			res, err := lnmu.Factor(t.Context(), m, 3, method, nil)
			if err != nil || res.RelativeError != 0 || res.Stop != outcome.StopExact || res.V.Rows != 4 || res.W.Cols != 7 {
				t.Errorf("%s: M = 0 gives %+v, %v", lnmutest.NameOf(method), res, err)
			}
		}
		for _, shape := range [][2]int{{80, 11}, {11, 80}} {
			m := lnmutest.Data[float64](shape[0], shape[1], 2)
			clear(m.Row(3))
			for i := range m.Rows {
				m.Data[i*m.Stride+5] = 0
			}
			for _, x := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m)} {
				res := must.Get(lnmu.Factor(t.Context(), x, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 30}}))(t)
				for k := range 3 {
					if res.V.At(3, k) != 0 || res.W.At(k, 5) != 0 {
						t.Errorf("%T, %s: zero row of M gives %v in V, zero column %v in W", x, lnmutest.NameOf(method), res.V.At(3, k), res.W.At(k, 5))
					}
				}
				if !(res.RelativeError < 0.9) {
					t.Errorf("%T, %s: relative error %v", x, lnmutest.NameOf(method), res.RelativeError)
				}
			}
		}
	}
}

// TestExact checks that a recursion ends when nothing is left, with zero
// factors for the rest. The second factor takes what rounding left of the first.
func TestExact(t *testing.T) {
	m := lnmu.NewDense(3, 3, []float64{0, 0, 0, 0, 2, 0, 0, 0, 0})
	for within, x := range map[float64]lnmu.Matrix[float64]{1e-30: m, 1e-15: lnmu.NewCSR(m)} {
		res := must.Get(lnmu.Factor(t.Context(), x, 3, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
		if _, dense := x.(lnmu.Dense[float64]); res.Stop != outcome.StopExact || !(res.RelativeError < within) || res.V.Cols != 3 || dense && len(res.Blocks) != 2 {
			t.Errorf("%T: %+v", x, res)
		}
	}
}

// TestVanishing drives the multipliers so high that all of V vanishes and the
// fall back of the package documentation is needed. In a recursion the second factor is that of what the first one leaves.
func TestVanishing(t *testing.T) {
	for _, m := range []lnmu.Matrix[float64]{lnmutest.Data[float64](40, 12, 4), lnmutest.Data[float64](12, 40, 4), lnmutest.SparseData[float64](40, 30, 4)} {
		steps := 0
		method := lnmu.GNMU{StepLength: func(k int) float64 {
			if k == 3 {
				steps++
				return 1e9
			}
			return 1 / float64(k)
		}}
		settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 12}, Start: lnmu.Start{Restarts: 1}, Threads: 1}
		res := must.Get(lnmu.Factor(t.Context(), m, 2, method, settings))(t)
		must.Equal(t, steps, 1, "the step length was asked for")
		must.Below(t, res.RelativeError, 1, "relative error after recovery")
		settings.Restarts = 0
		if _, ok := m.(lnmu.CSR[float64]); ok {
			method.ZeroMultiplier = func(int) float64 { return 20 }
		}
		rows, cols := m.Dims()
		v, w := lnmutest.RandomStart[float64](rows, cols, 2, 1)
		res = must.Get(lnmu.FactorFrom(t.Context(), m, v, w, lnmu.RNMU{GNMU: method}, settings))(t)
		left := literal.New(rows, cols, func(i, j int) float64 { return max(0, m.At(i, j)-res.V.At(i, 0)*res.W.At(0, j)) })
		if c, ok := m.(lnmu.CSR[float64]); ok {
			for i := range rows {
				for at := c.Ptr[i]; at < c.Ptr[i+1]; at++ {
					c.Val[at] = left.At(i, int(c.Idx[at]))
				}
			}
		} else {
			m = left
		}
		second := must.Get(lnmu.FactorFrom(t.Context(), m, v.Slice(0, rows, 1, 2), w.Slice(1, 2, 0, cols), lnmu.RNMU{GNMU: method}, settings))(t)
		must.AtMost(t, literal.Apart(res.V.Slice(0, rows, 1, 2), second.V), 1e-9, "the second factor and that of what is left")
	}
}
