package lnmu

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/lnmu/internal/matrix"
)

// TestScaleOfStart: the scale of a given start matters to the methods that take it as it
// is, and not to the bits of those that scale it first; of a dense M and of a sparse one.
func TestScaleOfStart(t *testing.T) {
	m := sparseData[float64](40, 23, 9)
	v, w := randomStart[float64](40, 23, 4, 3)
	larger := func(d Dense[float64]) Dense[float64] {
		d = matrix.Clone(d)
		for i := range d.Data {
			d.Data[i] *= 64 // a power of four: its square root is exact
		}
		return d
	}
	for _, c := range []struct {
		method Method
		scales bool
	}{
		{NMF{}, false}, {NMF{Solver: SolverAccelerated}, false},
		{SNMF{PenaltyV: 0.01, PenaltyW: 0.02}, false}, {SNMF{SparsityV: 0.5}, false},
		{GNMU{}, false}, {GNMU{Lagrangian{Solver: SolverADMM}}, false},
		{RNMU{}, true}, {RNMU{Block: 2}, true}, {RNMU{Norm: L1}, true}, {RNMU{Lagrangian: Lagrangian{Solver: SolverADMM}}, true},
		{Hoyer{SparsenessV: 0.5}, true},
	} {
		check := func(kind string, from func(v, w Dense[float64]) (*Result[float64], error)) {
			given, err := from(v, w)
			if err != nil {
				t.Fatalf("%#v, %s: %v", c.method, kind, err)
			}
			scaled, err := from(larger(v), larger(w))
			if err != nil {
				t.Fatalf("%#v, %s: %v", c.method, kind, err)
			}
			if same := SHA256(given.V) == SHA256(scaled.V) && SHA256(given.W) == SHA256(scaled.W); same != c.scales {
				t.Errorf("%#v, %s: the same factors from a larger start: %v, want %v", c.method, kind, same, c.scales)
			}
		}
		once := &Settings{Iterations: 1}
		check("dense", func(v, w Dense[float64]) (*Result[float64], error) {
			return FactorFrom(t.Context(), m.Dense(), v, w, c.method, once)
		})
		if r, ok := c.method.(RNMU); c.method.Describe().Sparse && !(ok && r.Norm == L1) {
			check("sparse", func(v, w Dense[float64]) (*Result[float64], error) {
				return FactorFrom(t.Context(), m, v, w, c.method, once)
			})
		}
	}
}

// TestUnscaledStart compares nmf and gnmu with their literal form from a start that is
// far too small.
func TestUnscaledStart(t *testing.T) {
	m := data[float64](30, 20, 4)
	v, w := randomStart[float64](30, 20, 4, 3)
	for i := range v.Data {
		v.Data[i] /= 64
	}
	for _, method := range []Method{NMF{}, GNMU{}} {
		res, err := FactorFrom(t.Context(), m, v, w, method, &Settings{Iterations: 3})
		if err != nil {
			t.Fatal(err)
		}
		var diff mat.Dense
		diff.Mul(gonum.To(res.V), gonum.To(res.W))
		want := literal(method, gonum.To(m), gonum.To(v), gonum.To(w), 3, 2)
		diff.Sub(&diff, want)
		if rel := mat.Norm(&diff, 2) / mat.Norm(want, 2); !(rel < 1e-12) {
			t.Errorf("%s: relative difference of V W is %.3g", nameOf(method), rel)
		}
	}
}

// TestGivenStart checks that nmf continues from a start, and that a recursion scales
// each factor's start to its residual.
func TestGivenStart(t *testing.T) {
	m := data[float64](60, 33, 9)
	first, err := Factor(t.Context(), m, 4, NMF{}, &Settings{Restarts: 1, Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	more, err := FactorFrom(t.Context(), m, first.V, first.W, NMF{}, &Settings{Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	once, err := Factor(t.Context(), m, 4, NMF{}, &Settings{Restarts: 1, Iterations: 40})
	if err != nil {
		t.Fatal(err)
	}
	if more.RelativeError != once.RelativeError {
		t.Errorf("20 + 20 iterations give %v, 40 give %v", more.RelativeError, once.RelativeError)
	}

	v, w := randomStart[float64](60, 33, 4, 0)
	random, err := Factor(t.Context(), m, 4, RNMU{}, &Settings{Restarts: 1, Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Data {
		v.Data[i] *= 64 // undone by the scaling, exactly
	}
	given, err := FactorFrom(t.Context(), m, v, w, RNMU{}, &Settings{Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(given.RelativeError-random.RelativeError) > 1e-12 {
		t.Errorf("the scaled start gives %v, the random one %v", given.RelativeError, random.RelativeError)
	}
}
