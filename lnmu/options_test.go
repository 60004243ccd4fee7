package lnmu_test

import (
	"errors"
	"fmt"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// A method and settings with their defaults filled in are like others, with the same
// meaning.
func TestDefaultsTwice(t *testing.T) {
	methods := []lnmu.Method{
		nil, lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1},
		lnmu.GNMU{lnmu.Lagrangian{Feasible: lnmu.FeasibleFinal}}, lnmu.GNMU{lnmu.Lagrangian{Feasible: lnmu.FeasibleEach, ExactSteps: 3}},
		lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleFinal}}, lnmu.RNMU{Lagrangian: lnmu.Lagrangian{StepsPerUpdate: 3}},
		lnmu.GNMU{lnmu.Lagrangian{Solver: lnmu.SolverADMM}}, lnmu.RNMU{Block: 2, Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 4, StepsPerUpdate: 2}},
		lnmu.SNMF{PenaltyV: 1, PenaltyW: 2}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 1, PenaltyW: 2, Solver: lnmu.SolverAccelerated, Sweeps: 3}, lnmu.GNMU{lnmu.Lagrangian{Sweeps: 2}}, lnmu.SNMF{SparsityW: 0.5}, lnmu.Hoyer{SparsenessV: 0.5},
		lnmu.RNMU{Priors: lnmu.Priors{SparsityV: 0.5, SmoothW: 0.1, ShapeW: lnmu.Shape{7, 1}}}, lnmu.GNMU{lnmu.Lagrangian{StepOffset: 2, Multipliers: lnmu.MultipliersStart}},
	}
	m := lnmu.Dense[float64]{Rows: 9, Cols: 7}
	v, w := lnmutest.RandomStart[float64](9, 7, 3, 1)
	for _, base := range []*lnmu.Settings{
		nil, {}, {Init: lnmu.InitSVD},
		{Iterations: 5, Restarts: 2, Seed: 4, Threads: 2, Tolerance: 0.1},
	} {
		for _, method := range methods {
			for _, given := range []bool{false, true} {
				if given && base != nil && (base.Init != "" || base.Restarts > 1) {
					continue // refused
				}
				defaults := func(method lnmu.Method, s *lnmu.Settings) (lnmu.Method, lnmu.Settings, error) {
					if given {
						return lnmu.WithDefaultsFrom(m, v, w, method, s)
					}
					return lnmu.WithDefaults(m, 3, method, s)
				}
				once, s, err := defaults(method, base)
				if err != nil {
					t.Fatal(err)
				}
				twice, again, err := defaults(once, &s)
				if err != nil {
					t.Errorf("%#v, %+v: %v", once, s, err)
				}
				if a, b := described(once, s), described(twice, again); a != b {
					t.Errorf("%s\nbecomes\n%s", a, b)
				}
			}
		}
	}
	method, s, err := lnmu.WithDefaults(m, 3, nil, nil)
	if r, ok := method.(lnmu.RNMU); err != nil || !ok || r.Block != 1 || r.StepsPerUpdate != 2 || r.StepLength(4) != 0.25 || r.Norm != lnmu.L2 ||
		s.Iterations != 180 || s.Restarts != 10 || s.Init != lnmu.InitRandom || s.CheckEvery != 10 || s.Threads < 1 {
		t.Errorf("by default %#v, %+v, %v", method, s, err)
	}
}

// TestDefaultsFrom checks that the defaults for a start are those of FactorFrom, and the
// error too.
func TestDefaultsFrom(t *testing.T) {
	m := lnmutest.Data[float64](9, 7, 1)
	v, w := lnmutest.RandomStart[float64](9, 7, 3, 1)
	method, s, err := lnmu.WithDefaultsFrom(lnmu.Dense[float64]{Rows: 9, Cols: 7}, v, w, nil, nil)
	if r, ok := method.(lnmu.RNMU); err != nil || !ok || r.Block != 1 || s.Restarts != 1 || s.Init != "" || s.Iterations != 180 {
		t.Errorf("by default %#v, %+v, %v", method, s, err)
	}
	want, err := lnmu.FactorFrom(t.Context(), m, v, w, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := lnmu.FactorFrom(t.Context(), m, v, w, method, &s)
	if err != nil || lnmu.SHA256(got.V) != lnmu.SHA256(want.V) || lnmu.SHA256(got.W) != lnmu.SHA256(want.W) {
		t.Errorf("with the defaults filled in the result is another one (%v)", err)
	}
	for _, c := range []struct {
		v, w     lnmu.Dense[float64]
		settings *lnmu.Settings
	}{{w, v, nil}, {v, lnmu.Dense[float64]{}, nil}, {v, w, &lnmu.Settings{Init: lnmu.InitRandom}}, {v, w, &lnmu.Settings{Restarts: 2}}, {v, w, &lnmu.Settings{Iterations: -1}}} {
		_, want := lnmu.FactorFrom(t.Context(), m, c.v, c.w, nil, c.settings)
		if _, _, err := lnmu.WithDefaultsFrom(lnmu.Dense[float64]{Rows: 9, Cols: 7}, c.v, c.w, nil, c.settings); err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("error %v, of FactorFrom %v", err, want)
		}
	}
}

// described says all about a method and settings but their functions, which cannot be
// compared.
func described(method lnmu.Method, s lnmu.Settings) string {
	switch m := method.(type) {
	case lnmu.GNMU:
		m.StepLength = nil
		method = m
	case lnmu.RNMU:
		m.StepLength = nil
		method = m
	}
	return fmt.Sprintf("%#v, %+v", method, s)
}

// A nil pointer is no method, and is refused rather than used.
func TestNilMethod(t *testing.T) {
	m := lnmutest.Data[float64](6, 5, 1)
	for _, method := range []lnmu.Method{(*lnmu.NMF)(nil), (*lnmu.GNMU)(nil), (*lnmu.RNMU)(nil), (*lnmu.SNMF)(nil), (*lnmu.Hoyer)(nil)} {
		if _, err := lnmu.Factor(t.Context(), m, 2, method, nil); !errors.Is(err, lnmu.ErrOption) {
			t.Errorf("%T: %v", method, err)
		}
	}
}
