package lnmu_test

import (
	"fmt"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestSparseAsDense: where a sparse matrix has no multipliers of its own, what is found for it
// is what is found for the dense one, up to rounding: with penalties, from singular vectors,
// and with factors that are fixed.
func TestSparseAsDense(t *testing.T) {
	for _, shape := range [][3]int{{60, 40, 4}, {40, 60, 4}, {60, 40, 1}, {40, 60, 1}} {
		m := lnmutest.SparseData[float64](shape[0], shape[1], 7)
		fixed := lnmu.Fixed{V: lnmu.NewDense[float64](m.Rows, 1, nil), Baseline: shape[2] > 1}
		for i := range m.Rows {
			fixed.V.Data[i] = float64(i % 3)
		}
		for _, c := range []struct {
			name     string
			method   lnmu.Method
			settings lnmu.Settings
		}{
			{"penalties", lnmu.SNMF{PenaltyV: 0.3, PenaltyW: 0.1}, lnmu.Settings{}},
			{"penalties, accelerated", lnmu.SNMF{PenaltyV: 0.3, PenaltyW: 0.1, Solver: lnmu.SolverAccelerated, Sweeps: 1}, lnmu.Settings{}},
			{"adapted penalties", lnmu.SNMF{SparsityV: 0.9, SparsityW: 0.9}, lnmu.Settings{}},
			{"one adapted penalty", lnmu.SNMF{SparsityW: 0.7}, lnmu.Settings{}},
			{"high penalties", lnmu.SNMF{PenaltyV: 1e9, PenaltyW: 1e9}, lnmu.Settings{}},
			{"singular vectors", lnmu.NMF{}, lnmu.Settings{Init: lnmu.InitSVD}},
			{"singular vectors, accelerated", lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 1}, lnmu.Settings{Init: lnmu.InitSVD}},
			{"fixed", lnmu.NMF{}, lnmu.Settings{Fixed: fixed}},
		} {
			t.Run(fmt.Sprintf("%v/%s", shape, c.name), func(t *testing.T) {
				s := c.settings
				s.Iterations, s.Restarts, s.Seed = 30, 1, 3
				want := must.Get(lnmu.Factor(t.Context(), m.Dense(), shape[2], c.method, &s))(t)
				got := must.Get(lnmu.Factor(t.Context(), m, shape[2], c.method, &s))(t)
				near := 1e-9
				if s.Init == lnmu.InitSVD {
					near = 1e-4 // the vectors are approximate
				}
				for _, x := range [][2]lnmu.Dense[float64]{{got.V, want.V}, {got.W, want.W}} {
					for i, a := range x[1].Data {
						if b := x[0].Data[i]; !(abs(a-b) <= near*(1+abs(a))) {
							t.Fatalf("entry %d is %v, of the dense matrix %v", i, b, a)
						}
					}
				}
				if !(abs(got.RelativeError-want.RelativeError) <= near) {
					t.Errorf("error %v, of the dense matrix %v", got.RelativeError, want.RelativeError)
				}
				if fixes(s.Fixed) {
					for i, x := range fixed.V.Data {
						if got.V.At(i, 0) != x {
							t.Fatalf("V[%d] = %v, fixed is %v", i, got.V.At(i, 0), x)
						}
					}
					if fixed.Baseline && got.W.At(1, 0) != 1 {
						t.Errorf("the baseline is %v", got.W.Row(1))
					}
				}
			})
		}
	}
}

// TestSparseFixedUnder: what is fixed stays as it is by the methods that underapproximate, and
// the first factors of a recursion are those that are fixed.
func TestSparseFixedUnder(t *testing.T) {
	m := lnmutest.SparseData[float64](60, 40, 7)
	fixed := lnmu.Fixed{V: lnmu.NewDense[float64](60, 1, nil), W: lnmu.NewDense[float64](1, 40, nil)}
	for i := range 60 {
		fixed.V.Data[i] = float64(i % 2)
	}
	for j := range 40 {
		fixed.W.Data[j] = float64(j % 3)
	}
	for _, method := range []lnmu.Method{lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.GNMU{lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}} {
		for _, x := range []lnmu.Matrix[float64]{m, &lnmutest.RowsOfCSR[float64]{CSR: m}} {
			res := must.Get(lnmu.Factor(t.Context(), x, 4, method, &lnmu.Settings{Fixed: fixed, Restarts: 1, Iterations: 20, Scratch: t.TempDir()}))(t)
			for i, a := range fixed.V.Data {
				if res.V.At(i, 0) != a {
					t.Fatalf("%s, %T: V[%d] = %v, fixed is %v", lnmutest.NameOf(method), x, i, res.V.At(i, 0), a)
				}
			}
			for j, a := range fixed.W.Data {
				if res.W.At(1, j) != a {
					t.Fatalf("%s, %T: W[1,%d] = %v, fixed is %v", lnmutest.NameOf(method), x, j, res.W.At(1, j), a)
				}
			}
			if !(res.RelativeError < 1) {
				t.Errorf("%s, %T: error %v", lnmutest.NameOf(method), x, res.RelativeError)
			}
		}
	}
}

// TestSparseIsMatrix: a sparse matrix has the entries of the dense one, in memory and as it is
// read.
func TestSparseIsMatrix(t *testing.T) {
	m := lnmutest.SparseData[float64](23, 17, 5)
	d := m.Dense()
	stored := &lnmutest.RowsOfCSR[float64]{CSR: m}
	for _, x := range []lnmu.Matrix[float64]{m, stored} {
		if rows, cols := x.Dims(); rows != 23 || cols != 17 {
			t.Errorf("%T is %d x %d", x, rows, cols)
		}
		for i := range d.Rows {
			for j := range d.Cols {
				if x.At(i, j) != d.At(i, j) {
					t.Fatalf("%T: entry (%d, %d) is %v, want %v", x, i, j, x.At(i, j), d.At(i, j))
				}
			}
		}
	}
}
