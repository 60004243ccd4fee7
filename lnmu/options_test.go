package lnmu

import (
	"errors"
	"fmt"
	"testing"
)

// A method and settings with their defaults filled in are like others, with the same
// meaning.
func TestDefaultsTwice(t *testing.T) {
	methods := []Method{
		nil, NMF{}, GNMU{}, RNMU{}, RNMU{Block: 2}, RNMU{Norm: L1},
		GNMU{Lagrangian{Feasible: FeasibleFinal}}, GNMU{Lagrangian{Feasible: FeasibleEach, ExactSteps: 3}},
		RNMU{Lagrangian: Lagrangian{Feasible: FeasibleFinal}}, RNMU{Lagrangian: Lagrangian{StepsPerUpdate: 3}},
		GNMU{Lagrangian{Solver: SolverADMM}}, RNMU{Block: 2, Lagrangian: Lagrangian{Solver: SolverADMM, Rho: 4, StepsPerUpdate: 2}},
		SNMF{PenaltyV: 1, PenaltyW: 2}, NMF{Solver: SolverAccelerated}, SNMF{PenaltyV: 1, PenaltyW: 2, Solver: SolverAccelerated, Sweeps: 3}, GNMU{Lagrangian{Sweeps: 2}}, SNMF{SparsityW: 0.5}, Hoyer{SparsenessV: 0.5},
		RNMU{Priors: Priors{SparsityV: 0.5, SmoothW: 0.1, ShapeW: Shape{7, 1}}}, GNMU{Lagrangian{StepOffset: 2, Multipliers: MultipliersStart}},
	}
	m := Dense[float64]{Rows: 9, Cols: 7}
	v, w := randomStart[float64](9, 7, 3, 1)
	for _, base := range []*Settings{
		nil, {}, {Init: InitSVD},
		{Iterations: 5, Restarts: 2, Seed: 4, Threads: 2, Tolerance: 0.1},
	} {
		for _, method := range methods {
			for _, given := range []bool{false, true} {
				if given && base != nil && (base.Init != "" || base.Restarts > 1) {
					continue // refused
				}
				defaults := func(method Method, s *Settings) (Method, Settings, error) {
					if given {
						return WithDefaultsFrom(m, v, w, method, s)
					}
					return WithDefaults(m, 3, method, s)
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
	method, s, err := WithDefaults(m, 3, nil, nil)
	if r, ok := method.(RNMU); err != nil || !ok || r.Block != 1 || r.StepsPerUpdate != 2 || r.StepLength(4) != 0.25 || r.Norm != L2 ||
		s.Iterations != 180 || s.Restarts != 10 || s.Init != InitRandom || s.CheckEvery != 10 || s.Threads < 1 {
		t.Errorf("by default %#v, %+v, %v", method, s, err)
	}
}

// TestDefaultsFrom checks that the defaults for a start are those of FactorFrom, and the
// error too.
func TestDefaultsFrom(t *testing.T) {
	m := data[float64](9, 7, 1)
	v, w := randomStart[float64](9, 7, 3, 1)
	method, s, err := WithDefaultsFrom(Dense[float64]{Rows: 9, Cols: 7}, v, w, nil, nil)
	if r, ok := method.(RNMU); err != nil || !ok || r.Block != 1 || s.Restarts != 1 || s.Init != "" || s.Iterations != 180 {
		t.Errorf("by default %#v, %+v, %v", method, s, err)
	}
	want, err := FactorFrom(t.Context(), m, v, w, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FactorFrom(t.Context(), m, v, w, method, &s)
	if err != nil || SHA256(got.V) != SHA256(want.V) || SHA256(got.W) != SHA256(want.W) {
		t.Errorf("with the defaults filled in the result is another one (%v)", err)
	}
	for _, c := range []struct {
		v, w     Dense[float64]
		settings *Settings
	}{{w, v, nil}, {v, Dense[float64]{}, nil}, {v, w, &Settings{Init: InitRandom}}, {v, w, &Settings{Restarts: 2}}, {v, w, &Settings{Iterations: -1}}} {
		_, want := FactorFrom(t.Context(), m, c.v, c.w, nil, c.settings)
		if _, _, err := WithDefaultsFrom(Dense[float64]{Rows: 9, Cols: 7}, c.v, c.w, nil, c.settings); err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("error %v, of FactorFrom %v", err, want)
		}
	}
}

// described says all about a method and settings but their functions, which cannot be
// compared.
func described(method Method, s Settings) string {
	switch m := method.(type) {
	case GNMU:
		m.StepLength = nil
		method = m
	case RNMU:
		m.StepLength = nil
		method = m
	}
	return fmt.Sprintf("%#v, %+v", method, s)
}

// A nil pointer is no method, and is refused rather than used.
func TestNilMethod(t *testing.T) {
	m := data[float64](6, 5, 1)
	for _, method := range []Method{(*NMF)(nil), (*GNMU)(nil), (*RNMU)(nil), (*SNMF)(nil), (*Hoyer)(nil)} {
		if _, err := Factor(t.Context(), m, 2, method, nil); !errors.Is(err, ErrOption) {
			t.Errorf("%T: %v", method, err)
		}
	}
}
