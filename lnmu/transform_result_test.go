package lnmu_test

import (
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// TestTransformOfResult: the weights of new columns are those of the function Transform with the
// settings that fit the method, and settings that exclude each other are the caller's.
func TestTransformOfResult(t *testing.T) {
	m, next := counts[float64](30, 20, 3, 1), counts[float64](30, 5, 3, 2)
	for _, c := range []struct {
		method lnmu.Method
		given  *lnmu.TransformSettings
		want   lnmu.TransformSettings
	}{
		{lnmu.KL{}, nil, lnmu.TransformSettings{Divergence: true}},
		{lnmu.KL{Solver: lnmu.SolverCoordinate}, &lnmu.TransformSettings{Iterations: 3}, lnmu.TransformSettings{Divergence: true, Iterations: 3}},
		{lnmu.KL{}, &lnmu.TransformSettings{Feasible: true}, lnmu.TransformSettings{Feasible: true}},
		{lnmu.KL{}, &lnmu.TransformSettings{SumToOne: true}, lnmu.TransformSettings{SumToOne: true}},
		{&lnmu.KL{}, nil, lnmu.TransformSettings{Divergence: true}},
		{lnmu.NMF{}, nil, lnmu.TransformSettings{}},
		{lnmu.NMF{SumToOneW: true}, nil, lnmu.TransformSettings{SumToOne: true}},
		{lnmu.NMF{SumToOneW: true}, &lnmu.TransformSettings{Feasible: true}, lnmu.TransformSettings{Feasible: true}},
		{lnmu.NMF{SumToOneW: true}, &lnmu.TransformSettings{Divergence: true}, lnmu.TransformSettings{Divergence: true}},
		{nil, nil, lnmu.TransformSettings{}},
	} {
		res := must.Get(lnmu.Factor(t.Context(), m, 3, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 20}}))(t)
		got := must.Get(res.Transform(t.Context(), next, c.given))(t)
		want := must.Get(lnmu.Transform(t.Context(), next, res.V, lnmu.Dense[float64]{}, &c.want))(t)
		if factors.SHA256(got.W) != factors.SHA256(want.W) || math.Abs(got.RelativeDivergence-want.RelativeDivergence) > 0 {
			t.Errorf("%#v, %+v: other weights than with %+v", c.method, c.given, c.want)
		}
	}
}
