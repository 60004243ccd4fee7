package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// A method and settings with their defaults filled in are like others, with the same
// meaning.
func TestDefaultsTwice(t *testing.T) {
	methods := []lnmu.Method{
		nil, lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1},
		lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, lnmu.GNMU{Feasible: lnmu.FeasibleEach, FeasibleSteps: 3},
		lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}}, lnmu.RNMU{GNMU: lnmu.GNMU{Inner: 3}},
		lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.RNMU{Block: 2, GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 4, Inner: 2}},
		lnmu.SNMF{PenaltyV: 1, PenaltyW: 2}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 1, PenaltyW: 2, Solver: lnmu.SolverAccelerated, Sweeps: 3}, lnmu.GNMU{Sweeps: 2}, lnmu.SNMF{SparsityW: 0.5}, lnmu.Hoyer{HoyerV: 0.5},
		lnmu.RNMU{SparsityV: 0.5, SmoothW: 0.1, ShapeW: [2]int{7, 1}}, lnmu.GNMU{StepOffset: 2, Multipliers: lnmu.MultipliersStart},
	}
	m := lnmu.Dense[float64]{Rows: 9, Cols: 7}
	v, w := lnmutest.RandomStart[float64](9, 7, 3, 1)
	for _, base := range []*lnmu.Settings{
		nil, {}, {Start: lnmu.Start{Init: lnmu.InitSVD}},
		{Limits: lnmu.Limits{Iterations: 5, Tolerance: 0.1}, Start: lnmu.Start{Restarts: 2, Seed: 4}, Threads: 2},
	} {
		for _, method := range methods {
			for _, given := range []bool{false, true} {
				if given && base != nil && (base.Init != "" || base.Restarts > 1) {
					continue // refused
				}
				defaults := func(method lnmu.Method, s *lnmu.Settings) (lnmu.Method, lnmu.Settings, error) {
					if given {
						return lnmu.Check(m, v.Cols, method, s, v, w)
					}
					return lnmu.Check(m, 3, method, s)
				}
				once, s := must.Two(defaults(method, base))(t)
				twice, again, err := defaults(once, &s)
				if err != nil {
					t.Errorf("%#v, %+v: %v", once, s, err)
				}
				must.Equal(t, described(once, s), described(twice, again))
			}
		}
	}
	method, s, err := lnmu.Check(m, 3, lnmu.RNMU{}, nil)
	if r, ok := method.(lnmu.RNMU); err != nil || !ok || r.Block != 1 || r.Inner != 2 || r.StepLength(4) != 0.25 || r.Norm != lnmu.L2 ||
		s.Iterations != 180 || s.Restarts != 10 || s.Init != lnmu.InitRandom || s.CheckEvery != 10 || s.Threads < 1 {
		t.Errorf("by default %#v, %+v, %v", method, s, err)
	}
}

// TestDefaultsFrom checks that the defaults for a start are those of FactorFrom, and the
// error too.
func TestDefaultsFrom(t *testing.T) {
	m := lnmutest.Data[float64](9, 7, 1)
	v, w := lnmutest.RandomStart[float64](9, 7, 3, 1)
	method, s, err := lnmu.Check(lnmu.Dense[float64]{Rows: 9, Cols: 7}, v.Cols, nil, nil, v, w)
	if n, ok := method.(lnmu.NMF); err != nil || !ok || n.Solver != lnmu.SolverAccelerated || s.Restarts != 1 || s.Init != "" || s.Iterations != 500 || s.Tolerance != 1e-5 {
		t.Errorf("by default %#v, %+v, %v", method, s, err)
	}
	want := must.Get(lnmu.FactorFrom(t.Context(), m, v, w, nil, nil))(t)
	got, err := lnmu.FactorFrom(t.Context(), m, v, w, method, &s)
	if err != nil || factors.SHA256(got.V) != factors.SHA256(want.V) || factors.SHA256(got.W) != factors.SHA256(want.W) {
		t.Errorf("with the defaults filled in the result is another one (%v)", err)
	}
	for _, c := range []struct {
		v, w     lnmu.Dense[float64]
		settings *lnmu.Settings
	}{{w, v, nil}, {v, lnmu.Dense[float64]{}, nil}, {v, w, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitRandom}}}, {v, w, &lnmu.Settings{Start: lnmu.Start{Restarts: 2}}}, {v, w, &lnmu.Settings{Limits: lnmu.Limits{Iterations: -1}}}} {
		_, want := lnmu.FactorFrom(t.Context(), m, c.v, c.w, nil, c.settings)
		if _, _, err := lnmu.Check(lnmu.Dense[float64]{Rows: 9, Cols: 7}, c.v.Cols, nil, c.settings, c.v, c.w); err == nil || want == nil || err.Error() != want.Error() {
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

// TestBadMethods checks that options of a method which are wrong, or contradict each other, are refused
// by name.
func TestBadMethods(t *testing.T) {
	type row struct {
		method lnmu.Method
		says   string
	}
	ok := lnmu.RNMU{ThresholdV: 0.1}
	all := []row{
		{lnmu.SNMF{}, "needs penalties or target sparsities"},
		{lnmu.SNMF{PenaltyV: -1, PenaltyW: 1}, "penalty of V -1; choose a finite number >= 0"},
		{lnmu.SNMF{PenaltyV: 1, PenaltyW: -1}, "penalty of W -1"},
		{lnmu.SNMF{PenaltyV: math.Inf(1), PenaltyW: 1}, "penalty of V +Inf"},
		{lnmu.SNMF{PenaltyV: 1, PenaltyW: math.NaN()}, "penalty of W NaN"},
		{lnmu.SNMF{PenaltyV: 1}, "set both"},
		{lnmu.SNMF{PenaltyV: 1, PenaltyW: 1, SparsityV: 0.5}, "choose one of them"},
		{lnmu.SNMF{SparsityV: 1.01}, "target sparsity of V 1.01; choose a number from 0 to 1"},
		{lnmu.SNMF{SparsityW: -0.1}, "target sparsity of W -0.1"},
		{lnmu.SNMF{SparsityV: 0.5, Solver: lnmu.SolverAccelerated}, "set the penalties"},
		{lnmu.NMF{Solver: "als"}, "unknown solver \"als\"; choose accelerated or hals"},
		{lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: -1}, "number of sweeps -1"},
		{lnmu.SNMF{SparsityV: 0.5, Sweeps: 2}, "choose accelerated"},
		{lnmu.GNMU{Sweeps: -2}, "number of sweeps -2"},
		{lnmu.Hoyer{}, "needs the sparseness"},
		{lnmu.Hoyer{HoyerV: 1.5}, "sparseness of V 1.5; choose a number from 0 to 1"},
		{lnmu.Hoyer{HoyerW: -1}, "sparseness of W -1"},
		{lnmu.Hoyer{HoyerV: math.NaN()}, "sparseness of V NaN"},
		{lnmu.RNMU{Norm: "max"}, `unknown norm "max"; choose l2 or l1`},
		{lnmu.RNMU{Norm: lnmu.L1, Block: 2}, "norm l1 with blocks of 2"},
		{lnmu.RNMU{Norm: lnmu.L1, GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}}, "norm l1 with feasible final"},
		{lnmu.RNMU{Norm: lnmu.L1, GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, "norm l1 with solver admm"},
		{lnmu.RNMU{ThresholdV: -1}, "threshold of V -1; choose a number from 0 to 1"},
		{lnmu.RNMU{ThresholdW: 1.5}, "threshold of W 1.5"},
		{lnmu.RNMU{SparsityV: math.NaN()}, "target sparsity of V NaN"},
		{lnmu.RNMU{SmoothW: math.Inf(1)}, "smoothness of W +Inf"},
		{lnmu.RNMU{SmoothV: 1}, "smoothness of V without the shape"},
		{lnmu.RNMU{SmoothV: 1, ShapeV: [2]int{3, 5}}, "shape 3x5 of the pictures in V, which have 12 pixels"},
		{lnmu.RNMU{SmoothW: 1, ShapeW: [2]int{-2, -5}}, "shape -2x-5 of the pictures in W, which have 10 pixels"},
		{lnmu.RNMU{SmoothW: 1, ShapeW: [2]int{math.MaxInt, 2}}, "pictures in W, which have 10 pixels"},
		{lnmu.RNMU{ShapeV: [2]int{3, 4}}, "shape 3x4 of the pictures in V without smoothness"},
		{lnmu.RNMU{SmoothNorm: lnmu.L1}, "norm l1 of differences without smoothness"},
		{lnmu.RNMU{SmoothNorm: "l3", SmoothV: 1, ShapeV: [2]int{3, 4}}, `unknown norm of differences "l3"`},
		{lnmu.RNMU{ThresholdV: 0.1, Block: 2}, "with blocks of 2"},
		{lnmu.RNMU{ThresholdV: 0.1, Norm: lnmu.L1}, "with norm l1"},
		{lnmu.RNMU{ThresholdV: 0.1, GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}, "with solver admm"},
		{lnmu.RNMU{ThresholdV: 0.1, GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}}, "with feasible final"},
		{lnmu.RNMU{GNMU: lnmu.GNMU{StepOffset: -1}}, "step offset -1 is negative"},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Multipliers: "some"}}, `unknown multipliers "some"; choose zero or start`},
		{lnmu.RNMU{GNMU: lnmu.GNMU{Multipliers: lnmu.MultipliersStart, Solver: lnmu.SolverADMM}}, "multipliers start with solver admm"},
		{lnmu.RNMU{GNMU: lnmu.GNMU{StepOffset: 1, Solver: lnmu.SolverADMM}}, "step offset 1 with solver admm"},
		{lnmu.NMF{L2V: 1}, "set both"},
		{lnmu.NMF{L2W: 1}, "set both"},
		{lnmu.NMF{L2V: -1, L2W: 1}, "l2 penalty of V -1; choose a finite number >= 0"},
		{lnmu.SNMF{L2V: 1}, "set both"},
		{lnmu.SNMF{PenaltyV: 1, L2V: 1}, "set both"},
		{lnmu.SNMF{L2V: 1, L2W: math.NaN()}, "l2 penalty of W NaN"},
		{lnmu.SNMF{L2V: 1, L2W: 1, SparsityV: 0.5}, "change the scale of V and W"},
		{lnmu.KL{L2W: 1}, "set both"},
		{lnmu.KL{L2V: math.Inf(1), L2W: 1}, "l2 penalty of V +Inf"},
		{lnmu.KL{PenaltyV: 1}, "set both"},
		{lnmu.KL{PenaltyV: -1, PenaltyW: 1}, "penalty of V -1"},
		{lnmu.NMF{SumToOneV: true, SumToOneW: true}, "sum"},
		{(*lnmu.NMF)(nil), "nil *lnmu.NMF"}, {(*lnmu.GNMU)(nil), "nil"}, {(*lnmu.RNMU)(nil), "nil"}, {(*lnmu.SNMF)(nil), "nil"}, {(*lnmu.Hoyer)(nil), "nil"},
	}
	for _, c := range []struct {
		l    lnmu.GNMU
		says string
	}{
		{lnmu.GNMU{Solver: "adm"}, `unknown solver "adm"; choose lagrangian or admm`},
		{lnmu.GNMU{Rho: 2}, "penalty rho 2 with solver lagrangian; leave it out, or choose solver admm"},
		{lnmu.GNMU{ResidualTolerance: 0.1}, "residual tolerance 0.1 with solver lagrangian"},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: -1}, "penalty rho -1; choose a number from 0.001 to 1e+06"},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: math.NaN()}, "penalty rho NaN"},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 1e-4}, "penalty rho 0.0001"},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: math.Inf(1)}, "penalty rho +Inf"},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, ResidualTolerance: 2}, "residual tolerance 2"},
		{lnmu.GNMU{Solver: lnmu.SolverADMM, StepLength: func(int) float64 { return 1 }}, "step lengths with solver admm"},
		{lnmu.GNMU{Solver: lnmu.SolverHALS}, `unknown solver "hals"`},
		{lnmu.GNMU{Feasible: "always"}, `unknown way to be feasible "always"; choose final or each`},
		{lnmu.GNMU{FeasibleSteps: 3}, "3 exact steps without feasible; choose final or each"},
		{lnmu.GNMU{Feasible: lnmu.FeasibleEach, FeasibleSteps: -1}, "number of exact steps -1 is negative"},
		{lnmu.GNMU{FeasibleSteps: -1}, "number of exact steps -1 is negative"},
	} {
		all = append(all, row{c.l, c.says}, row{lnmu.RNMU{GNMU: c.l}, c.says})
	}
	m := lnmutest.Data[float64](12, 10, 1)
	refused := func(x lnmu.Matrix[float64], s *lnmu.Settings, c row) {
		t.Helper()
		if res, err := lnmu.Factor(t.Context(), x, 2, c.method, s); res != nil || !errors.Is(err, lnmu.ErrOption) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: result %v, error %v; want one that says %q", c.method, res, err, c.says)
		}
	}
	for _, c := range all {
		refused(m, nil, c)
	}
	holes := lnmu.NewMask(12, 10)
	holes.Set(3, 4, false)
	refused(lnmu.NewCSR(m), nil, row{ok, "on a sparse matrix"})
	refused(lnmu.NewCSR(m), nil, row{lnmu.RNMU{GNMU: lnmu.GNMU{Multipliers: lnmu.MultipliersStart}}, "on a sparse matrix"})
	refused(m, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}, row{lnmu.KL{}, "multiplicative updates keep the zeros of this start"})
	refused(lnmu.Observed[float64]{Matrix: m, Mask: holes}, &lnmu.Settings{MissingSolver: lnmu.MissingExact}, row{lnmu.KL{}, "it uses no Gram matrices"})
}
