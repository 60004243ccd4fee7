package lnmu_test

import (
	"math"
	"os"
	"testing"
	"unsafe"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestRestOfCoordinates: no tolerance ends a run in the first updates, which keep the zeros of a start. Each start
// has two of four tolerances and intervals. NMU_FULL asks for all.
func TestRestOfCoordinates(t *testing.T) {
	precisions(t, restOfCoordinates[float64], restOfCoordinates[float32])
}

func restOfCoordinates[T lnmu.Float](t *testing.T) {
	const rank = 4
	turns, at := lnmutest.Rotate(3, 13, int(unsafe.Sizeof(T(0))/4)), 0 // of seeds, and of starts of a matrix
	for i, seed := range []uint64{1, 2, 3} {
		m := counts[T](80, 60, rank, seed)
		turned := lnmu.NewDense[T](60, 80, nil)
		for i := range m.Rows {
			for j, x := range m.Row(i) {
				turned.Row(j)[i] = x
			}
		}
		mask := lnmutest.Gaps(80, 60, 0.1, seed)
		weights := lnmutest.WeightsOf(mask, true)
		v, w := lnmutest.RandomStart[T](80, 60, rank, seed)
		for _, x := range []lnmu.Dense[T]{v, w} {
			for i := range x.Data {
				x.Data[i] = max(0, x.Data[i]-0.4)
			}
		}
		for _, in := range []struct {
			name string
			m    lnmu.Matrix[T]
			init []lnmu.Choice
		}{
			{"dense", m, []lnmu.Choice{lnmu.InitSVD, lnmu.InitSPA, lnmu.InitSNPA, ""}},
			{"wide", turned, []lnmu.Choice{lnmu.InitSVD, lnmu.InitSPA}},
			{"sparse", lnmu.NewCSR(m), []lnmu.Choice{lnmu.InitSVD, lnmu.InitSNPA, ""}},
			{"masked", lnmu.Observed[T]{Matrix: m, Mask: mask}, []lnmu.Choice{lnmu.InitSPA, ""}},
			{"weighted", lnmu.Observed[T]{Matrix: m, Weights: weights}, []lnmu.Choice{lnmu.InitSVD, lnmu.InitSNPA}},
		} {
			for _, init := range in.init {
				if at++; !turns.Takes(i, at) {
					continue
				}
				run := func(s lnmu.Settings) *lnmu.Result[T] {
					s.Init, s.Iterations = init, 100
					var res *lnmu.Result[T]
					var err error
					if init == "" {
						res, err = lnmu.FactorFrom(t.Context(), in.m, v, w, lnmu.KL{Solver: lnmu.SolverCoordinate}, &s)
					} else {
						res, err = lnmu.Factor(t.Context(), in.m, rank, lnmu.KL{Solver: lnmu.SolverCoordinate}, &s)
					}
					must.Do(t, err)
					return res
				}
				least := run(lnmu.Settings{}).RelativeDivergence
				for k, s := range []lnmu.Settings{{Limits: lnmu.Limits{Tolerance: 1e-2}}, {Limits: lnmu.Limits{Tolerance: 1e-3}}, {Limits: lnmu.Limits{Tolerance: 1e-2, CheckEvery: 1}}, {Limits: lnmu.Limits{Tolerance: 1e-3, CheckEvery: 7}}} {
					if (k+at)%2 != 0 && os.Getenv("NMU_FULL") == "" {
						continue
					}
					if got := run(s); !(got.RelativeDivergence <= 1.1*least) || got.Stop != outcome.StopTolerance {
						t.Errorf("seed %d, %s, start %q, tolerance %v every %d iterations: %v after %d, divergence %v, without tolerance %v", seed, in.name, init, s.Tolerance, s.CheckEvery, got.Stop, got.Blocks[0].IterationsDone, got.RelativeDivergence, least)
					}
				}
			}
		}
	}
}

// TestRestOfPhases: no tolerance ends a run in an early phase, nor after an iteration that was undone.
func TestRestOfPhases(t *testing.T) {
	m := swimmer[float64]()
	admm := lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 8}
	for _, c := range []struct {
		name   string
		m      lnmu.Matrix[float64]
		method lnmu.Method
		phase  int                                            // iterations of a block before its last phase
		check  func(res *lnmu.Result[float64]) (reached bool) // nil: none
	}{
		{"accelerated", m, lnmu.NMF{Solver: lnmu.SolverAccelerated}, 0, moved},
		{"accelerated, sparse", lnmu.NewCSR(m), lnmu.NMF{Solver: lnmu.SolverAccelerated}, 0, moved},
		{"multiplicative", m, lnmu.KL{}, 0, moved},
		{"zeros of gnmu", lnmu.NewCSR(m), lnmu.GNMU{}, 119, nil},
		{"zeros of rnmu", lnmu.NewCSR(m), lnmu.RNMU{}, 89, func(res *lnmu.Result[float64]) bool { return res.RelativeViolation < 0.01 }},
		{"ρ of gnmu", m, admm, 30, nil},
		{"ρ of rnmu, sparse", lnmu.NewCSR(m), lnmu.RNMU{GNMU: admm}, 30, nil},
		{"targets of snmf", m, lnmu.SNMF{SparsityV: 0.9, SparsityW: 0.7}, 0, func(res *lnmu.Result[float64]) bool {
			return factors.RowSparsity(res.V.Transposed()).Zeros > 0.87 && factors.RowSparsity(res.W).Zeros > 0.67
		}},
	} {
		for k, s := range []lnmu.Settings{{Limits: lnmu.Limits{Tolerance: 1e-2}}, {Limits: lnmu.Limits{Tolerance: 1e-3, CheckEvery: 1}}, {Limits: lnmu.Limits{Tolerance: 1e-2, CheckEvery: 1}}, {Limits: lnmu.Limits{Tolerance: 1e-3}}} {
			if k > 1 && os.Getenv("NMU_FULL") == "" {
				break
			}
			s.Restarts = 1
			res := must.Get(lnmu.Factor(t.Context(), c.m, 8, c.method, &s))(t)
			for _, b := range res.Blocks {
				if b.Stop == outcome.StopTolerance && b.IterationsDone <= c.phase {
					t.Errorf("%s, tolerance %v every %d iterations: a block ends after %d iterations, in a phase of %d", c.name, s.Tolerance, s.CheckEvery, b.IterationsDone, c.phase)
				}
			}
			if c.check != nil && !c.check(res) {
				t.Errorf("%s, tolerance %v every %d iterations: %v after %d, before the error can be at rest", c.name, s.Tolerance, s.CheckEvery, res.Stop, res.Blocks[0].IterationsDone)
			}
		}
	}
}

// moved reports whether the last iteration changed the error.
func moved(res *lnmu.Result[float64]) bool {
	h := res.Blocks[0].History
	return len(h) < 2 || math.Abs(h[len(h)-1]-h[len(h)-2]) > 0
}

// TestRestByDefault: methods of which no iteration raises the error go on until it is at rest, unless they have a number of
// iterations.
func TestRestByDefault(t *testing.T) {
	for _, c := range []struct {
		method lnmu.Method
		given  lnmu.Limits
		want   lnmu.Limits
	}{
		{nil, lnmu.Limits{}, lnmu.Limits{Iterations: 500, Tolerance: 1e-5}},
		{nil, lnmu.Limits{Tolerance: 1e-3}, lnmu.Limits{Iterations: 500, Tolerance: 1e-3}},
		{nil, lnmu.Limits{Iterations: 30}, lnmu.Limits{Iterations: 30}},
		{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.Limits{}, lnmu.Limits{Iterations: 600}},
		{lnmu.NMF{L2V: 1, L2W: 1}, lnmu.Limits{}, lnmu.Limits{Iterations: 100}},
		{lnmu.SNMF{PenaltyV: 1, PenaltyW: 1}, lnmu.Limits{}, lnmu.Limits{Iterations: 100}},
		{lnmu.KL{}, lnmu.Limits{}, lnmu.Limits{Iterations: 1000, Tolerance: 1e-5}},
		{lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.Limits{}, lnmu.Limits{Iterations: 200, Tolerance: 1e-5}},
		{lnmu.KL{PenaltyV: 1, PenaltyW: 1}, lnmu.Limits{}, lnmu.Limits{Iterations: 200}},
		{lnmu.RNMU{}, lnmu.Limits{}, lnmu.Limits{Iterations: 180}},
	} {
		_, s, err := lnmu.Check(lnmu.Dense[float64]{Rows: 9, Cols: 7}, 3, c.method, &lnmu.Settings{Limits: c.given})
		if c.want.CheckEvery = 10; err != nil || s.Limits != c.want {
			t.Errorf("%#v, %+v: %+v, %v", c.method, c.given, s.Limits, err)
		}
	}
	res := must.Get(lnmu.Factor(t.Context(), counts[float64](80, 60, 4, 1), 4, nil, nil))(t)
	must.Equal(t, res.Stop, outcome.StopTolerance, "a small matrix ends by")
}
