package lnmu_test

import (
	"math"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestMissingTransform: the weights of a column are those of its observed part; those of
// a complete one keep their bits.
func TestMissingTransform(t *testing.T) {
	m, k := lnmutest.RandomMatrix[float64](40, 150, 1), lnmutest.Gaps(40, 150, 0.3, 2)
	for i := range 40 {
		k.Set(i, 3, true)
		k.Set(i, 149, true)
	}
	v, _ := lnmutest.RandomStart[float64](40, 150, 4, 2)
	for _, feasible := range []bool{false, true} {
		for _, random := range []bool{false, true} {
			seen := lnmu.Observed[float64]{Matrix: lnmutest.Filled(m, k, math.NaN(), 1e300), Mask: k}
			if random {
				seen.Weights = lnmutest.WeightsOf(k, true)
			}
			res := must.Get(transformOf[float64](t.Context(), v, seen, &lnmu.TransformSettings{Feasible: feasible, Threads: 2}))(t)
			if feasible && res.MaxViolation != 0 {
				t.Errorf("violation %v", res.MaxViolation)
			}
			plain := must.Get(transformOf(t.Context(), v, m, &lnmu.TransformSettings{Feasible: feasible}))(t)
			var loss, norm float64
			for j := range m.Cols {
				var rows []int
				for i := range m.Rows {
					if k.Observed(i, j) {
						rows = append(rows, i)
					}
				}
				weight := func(i int) float64 {
					if random {
						return seen.Weights.At(i, j)
					}
					return 1
				}
				// The same problem without gaps, weighted by way of its rows. With V W <= M
				// that is the same problem too.
				part, basis := lnmu.NewDense[float64](len(rows), 1, nil), lnmu.NewDense[float64](len(rows), 4, nil)
				for at, i := range rows {
					part.Row(at)[0] = math.Sqrt(weight(i)) * m.At(i, j)
					for l, x := range v.Row(i) {
						basis.Row(at)[l] = math.Sqrt(weight(i)) * x
					}
					e := m.At(i, j) - literal.Entry(v, res.W, i, j)
					loss, norm = loss+weight(i)*e*e, norm+weight(i)*m.At(i, j)*m.At(i, j)
				}
				one := must.Get(transformOf(t.Context(), basis, part, &lnmu.TransformSettings{Feasible: feasible, Tolerance: tolerance(feasible)}))(t)
				for l := range 4 {
					got, want := res.W.At(l, j), one.W.At(l, 0)
					must.AtMost(t, math.Abs(got-want), 1e-4, "feasible", feasible, "weights", random, "column", j)
					if len(rows) == m.Rows && !random && got != plain.W.At(l, j) {
						t.Errorf("feasible %v: the complete column %d: %v, want %v", feasible, j, got, plain.W.At(l, j))
					}
				}
			}
			must.AtMost(t, math.Abs(res.RelativeError-math.Sqrt(loss/norm)), 1e-12, "feasible", feasible, "weights", random, "error")
		}
	}
	for i := range 40 {
		k.Set(i, 7, false)
	}
	must.Refuse(transformOf(t.Context(), v, lnmu.Observed[float64]{Matrix: m, Mask: k}, &lnmu.TransformSettings{}))(t, nil, "column 8 of M has no observed entry", "a column of nothing")
}

func tolerance(feasible bool) float64 {
	if feasible {
		return 0
	}
	return 1e-9
}

// TestSparseMissing: what a sparse matrix does not store may be missing.
func TestSparseMissing(t *testing.T) {
	for _, size := range [][2]int{{300, 40}, {40, 300}} {
		whole := planted(size[0], size[1], 3, 4)
		k := lnmutest.Gaps(size[0], size[1], 0.5, 5)
		m := lnmu.NewCSR(lnmutest.Filled(whole, k, 0))
		quick := must.Get(lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, StoredOnly: true}, 3, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 5}}))(t)
		must.AtMost(t, heldOut(whole, k, quick.V, quick.W), 1e-2, size, "error")
		for _, method := range []lnmu.Method{lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}} {
			under := must.Get(lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, StoredOnly: true}, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
			dense := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: whole, Mask: k}, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
			if !(under.RelativeError <= 1.1*dense.RelativeError+0.01) || !(under.MaxViolation <= 1.5*dense.MaxViolation+0.1) {
				t.Errorf("%v %+v: error %v, violation %v; of the dense matrix %v, %v", size, method, under.RelativeError, under.MaxViolation, dense.RelativeError, dense.MaxViolation)
			}
		}
	}
	m := lnmu.NewCSR(lnmutest.RandomMatrix[float64](6, 5, 1))
	m.Ptr[6] = m.Ptr[5] // the last row stores nothing
	m.Idx, m.Val = m.Idx[:m.Ptr[6]], m.Val[:m.Ptr[6]]
	for want, c := range map[string]struct {
		seen   lnmu.Observed[float64]
		solver lnmu.Choice
	}{
		"row 6 of M has no observed entry": {lnmu.Observed[float64]{StoredOnly: true}, ""},
		"missing entries on a sparse":      {lnmu.Observed[float64]{Mask: lnmutest.Gaps(6, 5, 0.3, 1)}, ""},
		"missing solver exact":             {lnmu.Observed[float64]{StoredOnly: true}, lnmu.MissingExact},
	} {
		c.seen.Matrix = m
		must.Refuse(lnmu.Factor(t.Context(), c.seen, 2, lnmu.NMF{}, &lnmu.Settings{MissingSolver: c.solver}))(t, nil, want)
	}
	must.Refuse(lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, StoredOnly: true}, 2, lnmu.GNMU{Solver: lnmu.SolverADMM}, &lnmu.Settings{}))(t, lnmu.ErrOption, "", "admm")
}
