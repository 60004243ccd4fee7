package lnmu

import (
	"math"
	"testing"
)

// TestTransformOfResult: the weights of new columns are those of the function Transform with the
// settings that fit the method, and settings that exclude each other are the caller's.
func TestTransformOfResult(t *testing.T) {
	m, next := counts[float64](30, 20, 3, 1), counts[float64](30, 5, 3, 2)
	for _, c := range []struct {
		method Method
		given  *TransformSettings
		want   TransformSettings
	}{
		{KL{}, nil, TransformSettings{Divergence: true}},
		{KL{Solver: SolverCoordinate}, &TransformSettings{Iterations: 3}, TransformSettings{Divergence: true, Iterations: 3}},
		{KL{}, &TransformSettings{Feasible: true}, TransformSettings{Feasible: true}},
		{KL{}, &TransformSettings{SumToOne: true}, TransformSettings{SumToOne: true}},
		{NMF{}, nil, TransformSettings{}},
		{NMF{SumToOneW: true}, nil, TransformSettings{SumToOne: true}},
		{NMF{SumToOneW: true}, &TransformSettings{Feasible: true}, TransformSettings{Feasible: true}},
		{NMF{SumToOneW: true}, &TransformSettings{Divergence: true}, TransformSettings{Divergence: true}},
		{nil, nil, TransformSettings{}},
	} {
		res, err := Factor(t.Context(), m, 3, c.method, &Settings{Restarts: 1, Iterations: 20})
		if err != nil {
			t.Fatal(err)
		}
		if res.Method == nil {
			t.Errorf("%#v: the result has no method", c.method)
		}
		got, err := res.Transform(t.Context(), next, c.given)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Transform(t.Context(), next, res.V, Dense[float64]{}, &c.want)
		if err != nil {
			t.Fatal(err)
		}
		if SHA256(got.W) != SHA256(want.W) || math.Abs(got.RelativeDivergence-want.RelativeDivergence) > 0 {
			t.Errorf("%#v, %+v: other weights than with %+v", c.method, c.given, c.want)
		}
	}
}
