package lnmu_test

import (
	"testing"

	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// TestScaleOfStart: the scale of a given start matters to the methods that take it as it
// is, and not to the bits of those that scale it first; of a dense M and of a sparse one.
func TestScaleOfStart(t *testing.T) {
	m := lnmutest.SparseData[float64](40, 23, 9)
	v, w := lnmutest.RandomStart[float64](40, 23, 4, 3)
	larger := func(d lnmu.Dense[float64]) lnmu.Dense[float64] {
		d = matrix.Clone(d)
		for i := range d.Data {
			d.Data[i] *= 64 // a power of four: its square root is exact
		}
		return d
	}
	for _, c := range []struct {
		method lnmu.Method
		scales bool
	}{
		{lnmu.NMF{Solver: lnmu.SolverHALS}, false}, {lnmu.NMF{Solver: lnmu.SolverAccelerated}, false},
		{lnmu.SNMF{PenaltyV: 0.01, PenaltyW: 0.02}, false}, {lnmu.SNMF{SparsityV: 0.5}, false},
		{lnmu.GNMU{}, false}, {lnmu.GNMU{Solver: lnmu.SolverADMM}, false},
		{lnmu.RNMU{}, true}, {lnmu.RNMU{Block: 2}, true}, {lnmu.RNMU{Norm: lnmu.L1}, true}, {lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, true},
		{lnmu.Hoyer{HoyerV: 0.5}, true},
	} {
		check := func(kind string, from func(v, w lnmu.Dense[float64]) (*lnmu.Result[float64], error)) {
			given := must.Get(from(v, w))(t, c.method, kind)
			scaled := must.Get(from(larger(v), larger(w)))(t, c.method, kind)
			if same := factors.SHA256(given.V) == factors.SHA256(scaled.V) && factors.SHA256(given.W) == factors.SHA256(scaled.W); same != c.scales {
				t.Errorf("%#v, %s: the same factors from a larger start: %v, want %v", c.method, kind, same, c.scales)
			}
		}
		once := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 1}}
		check("dense", func(v, w lnmu.Dense[float64]) (*lnmu.Result[float64], error) {
			return lnmu.FactorFrom(t.Context(), m.Dense(), v, w, c.method, once)
		})
		r, _ := c.method.(lnmu.RNMU)
		if options.DescriptionOf(c.method).Sparse() && r.Norm != lnmu.L1 {
			check("sparse", func(v, w lnmu.Dense[float64]) (*lnmu.Result[float64], error) {
				return lnmu.FactorFrom(t.Context(), m, v, w, c.method, once)
			})
		}
	}
}

// TestGivenStart checks that nmf continues from a start.
func TestGivenStart(t *testing.T) {
	m := lnmutest.Data[float64](60, 33, 9)
	hals := lnmu.NMF{Solver: lnmu.SolverHALS}
	first := must.Get(lnmu.Factor(t.Context(), m, 4, hals, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 20}}))(t)
	more := must.Get(lnmu.FactorFrom(t.Context(), m, first.V, first.W, hals, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}}))(t)
	once := must.Get(lnmu.Factor(t.Context(), m, 4, hals, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 40}}))(t)
	must.Equal(t, more.RelativeError, once.RelativeError, "20 + 20 iterations give")
}
