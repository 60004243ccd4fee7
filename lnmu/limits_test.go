package lnmu_test

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"nmu/internal/leak"
	"nmu/internal/must"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// never is what work asks that has no limit.
func never() bool { return false }

// TestLimitWithinPhases counts how often each phase that may take longer than a
// pass over M asks whether it is over, and cancels it at every tenth of that: the
// work must end, with a result that says so. The first case would take years.
func TestLimitWithinPhases(t *testing.T) {
	const forever = math.MaxInt
	m := lnmutest.Data[float64](60, 50, 3)
	sparse := lnmu.NewCSR(m)
	for _, c := range []struct {
		name     string
		rank     int
		method   lnmu.Method
		settings lnmu.Settings
		asks     int64 // at least
	}{
		{"steps of gnmu", 4, lnmu.GNMU{Inner: forever}, lnmu.Settings{}, forever},
		{"steps of rnmu", 4, lnmu.RNMU{GNMU: lnmu.GNMU{Inner: forever}}, lnmu.Settings{}, forever},
		{"steps of rnmu, l1", 4, lnmu.RNMU{Norm: lnmu.L1, GNMU: lnmu.GNMU{Inner: forever}}, lnmu.Settings{}, forever},
		{"steps of rnmu, priors", 4, lnmu.RNMU{GNMU: lnmu.GNMU{Inner: forever}, SmoothV: 0.1, ShapeV: [2]int{15, 4}}, lnmu.Settings{}, forever},
		{"sweeps of gnmu", 4, lnmu.GNMU{Sweeps: forever}, lnmu.Settings{}, forever},
		{"sweeps of rnmu by 2", 4, lnmu.RNMU{Block: 2, GNMU: lnmu.GNMU{Sweeps: forever}}, lnmu.Settings{}, forever},
		{"sweeps of admm", 4, lnmu.GNMU{Solver: lnmu.SolverADMM, Sweeps: forever}, lnmu.Settings{}, forever},
		{"iterations of accelerated nmf", 4, lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: forever}, lnmu.Settings{Limits: lnmu.Limits{Iterations: forever}}, forever},
		{"rows and columns of l1", 1, lnmu.RNMU{Norm: lnmu.L1, GNMU: lnmu.GNMU{Inner: 1}}, lnmu.Settings{Limits: lnmu.Limits{Iterations: 1}}, 60 + 50/8},
		{"start svd", 45, lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}, Limits: lnmu.Limits{Iterations: 1}}, 40},
		{"rows of feasible final", 12, lnmu.GNMU{Feasible: lnmu.FeasibleFinal, FeasibleSteps: 3}, lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}}, 2 * (60 + 50)},
		{"rows of feasible each", 12, lnmu.RNMU{Block: 6, GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}, lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}}, 2 * (60 + 50)},
		{"steps of hoyer", 4, lnmu.Hoyer{HoyerV: 0.9, HoyerW: 0.9}, lnmu.Settings{Limits: lnmu.Limits{Iterations: 50}}, 150},
	} {
		c.settings.Restarts = 1
		t.Run(c.name, func(t *testing.T) {
			asks := int64(1000)
			if c.asks != forever {
				ctx := lnmutest.NewCountdown(forever)
				must.Get(lnmu.Factor(ctx, m, c.rank, c.method, &c.settings))(t)
				if asks = ctx.Asked.Load(); asks < c.asks {
					t.Errorf("asked %d times whether it is over, want at least %d", asks, c.asks)
				}
			}
			for part := range int64(10) {
				ctx := lnmutest.NewCountdown(part * asks / 10)
				res, err := lnmu.Factor(ctx, m, c.rank, c.method, &c.settings)
				if !errors.Is(err, context.Canceled) || res == nil || res.Stop != outcome.StopCancelled {
					t.Fatalf("cancelled after %d asks: %+v, %v", part*asks/10, res, err)
				}
				must.AtMost(t, ctx.Asked.Load()-part*asks/10, 200, "cancelled after", part*asks/10, "asks, asked")
				if !(res.RelativeError < 2) || res.V.Cols != res.W.Rows {
					t.Errorf("cancelled after %d asks: %d and %d factors of error %v", part*asks/10, res.V.Cols, res.W.Rows, res.RelativeError)
				}
			}
		})
	}
	t.Run("steps of a sparse matrix", func(t *testing.T) {
		res, err := lnmu.Factor(lnmutest.NewCountdown(1000), sparse, 4, lnmu.GNMU{Inner: forever}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}})
		if !errors.Is(err, context.Canceled) || res == nil || res.Stop != outcome.StopCancelled {
			t.Errorf("%+v, %v", res, err)
		}
	})
	t.Run("transform", func(t *testing.T) {
		v := lnmutest.Data[float64](60, 8, 5)
		for _, s := range []*lnmu.TransformSettings{nil, {Feasible: true}} {
			ctx := lnmutest.NewCountdown(forever)
			must.Get(transformOf(ctx, v, m, s))(t)
			asks := ctx.Asked.Load()
			must.AtLeast(t, asks, 50, s, "asked")
			whole := must.Get(transformOf(t.Context(), v, m, s))(t)
			for part := range int64(10) {
				res, err := transformOf(lnmutest.NewCountdown(part*asks/10), v, m, s)
				if !errors.Is(err, context.Canceled) || res == nil || res.Stop != outcome.StopCancelled {
					t.Fatalf("feasible %v, cancelled after %d asks: %+v, %v", s.Feasible, part*asks/10, res, err)
				}
				found := 0
				for j := range m.Cols {
					same, zero := true, true
					for k := range v.Cols {
						same = same && res.W.At(k, j) == whole.W.At(k, j)
						zero = zero && res.W.At(k, j) == 0
					}
					if !same && !zero {
						t.Errorf("feasible %v, cancelled after %d asks: column %d is neither zero nor what it would be", s.Feasible, part*asks/10, j)
					}
					if same {
						found++
					}
				}
				if found < res.Finished || res.Finished == m.Cols {
					t.Errorf("feasible %v, cancelled after %d asks: %d columns are found, said to be %d", s.Feasible, part*asks/10, found, res.Finished)
				}
			}
		}
	})
}

// TestTimeLimitBeforeFeasible: factors that were not made feasible in time are
// those of before, and the result says so.
func TestTimeLimitBeforeFeasible(t *testing.T) {
	m := lnmutest.Data[float64](30, 20, 1)
	for _, way := range []lnmu.Choice{lnmu.FeasibleFinal, lnmu.FeasibleEach} {
		for _, block := range []int{0, 1} {
			method := lnmutest.Underapproximation(block, lnmu.GNMU{Feasible: way})
			res, err := lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{TimeLimit: time.Nanosecond}})
			if err != nil || res.Stop != outcome.StopTime {
				t.Fatalf("%s, feasible %s: %+v, %v", lnmutest.NameOf(method), way, res, err)
			}
			for _, b := range res.Blocks {
				if b.Exact != nil {
					t.Errorf("%s, feasible %s: %+v", lnmutest.NameOf(method), way, b)
				}
			}
			if way == lnmu.FeasibleEach && block == 1 && res.V.Cols != 0 {
				t.Errorf("%d factors that are not feasible", res.V.Cols)
			}
		}
	}
}

// TestPanics: what a function of the caller's panics with reaches the caller, and
// no goroutine is left, whichever restart calls it.
func TestPanics(t *testing.T) {
	type mark struct{ string }
	leak.Check(t)
	teams := []int{1, 2, 4}
	if os.Getenv("NMU_FULL") == "" {
		teams = []int{2}
	}
	for _, threads := range teams {
		for _, large := range []bool{false, true} {
			m := lnmutest.Data[float64](40, 30, 1) // restarts side by side
			if large {
				m = lnmutest.Data[float64](900, 200, 1) // one after the other
			}
			for _, d := range options.Methods() {
				for _, last := range []int64{1, 7, 200} {
					var calls atomic.Int64
					call := func() {
						if calls.Add(1) == last {
							panic(mark{"call"})
						}
					}
					s := lnmu.Settings{Start: lnmu.Start{Restarts: 9}, Limits: lnmu.Limits{Iterations: 30}, Threads: threads}
					inEach := s
					inEach.Iterated = func(int) { call() }
					byStep := lnmu.GNMU{StepLength: func(k int) float64 { call(); return 1 / float64(k) }}
					try := func(where string, method lnmu.Method, s lnmu.Settings) {
						calls.Store(0)
						must.Equal[any](t, panicOf(func() { lnmu.Factor(t.Context(), m, 3, method, &s) }), mark{"call"}, d.Name, threads, "threads, large", large, where, last, "Factor panicked with")
					}
					try("iteration", typical(d), inEach)
					if d.Recursive {
						try("step length", lnmutest.Underapproximation(1, byStep), s)
					} else if d.Underapproximates {
						try("step length", lnmutest.Underapproximation(0, byStep), s)
					}
				}
			}
		}
	}
	m := lnmutest.Data[float64](40, 30, 1)
	got := panicOf(func() {
		lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 5000}, Threads: 2, Watch: lnmu.Watch{Progress: func(lnmu.Progress) { panic(mark{"progress"}) }}})
	})
	must.Equal[any](t, got, mark{"progress"}, "Factor panicked with")
}

// panicOf returns what f panics with, nil if it does not.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestLimits checks every way to end early, of a dense matrix and of a sparse one.
func TestLimits(t *testing.T) {
	t.Run("dense", func(t *testing.T) { testLimits(t, lnmutest.Data[float64](90, 40, 5)) })
	t.Run("sparse", func(t *testing.T) { testLimits(t, lnmutest.SparseData[float64](90, 40, 5)) })
}

func testLimits(t *testing.T, m lnmu.Matrix[float64]) {
	dense, isDense := m.(lnmu.Dense[float64])
	factor := func(ctx context.Context, method lnmu.Method, s lnmu.Settings) (*lnmu.Result[float64], error) {
		t.Helper()
		s.Restarts = max(1, s.Restarts)
		return lnmu.Factor(ctx, m, 6, method, &s)
	}
	full, err := factor(t.Context(), lnmu.RNMU{}, lnmu.Settings{})
	if err != nil || full.Stop != outcome.StopIterations || len(full.Blocks) != 6 {
		t.Fatalf("full run: %+v, %v", full, err)
	}
	for k, b := range full.Blocks[1:] {
		if !(b.Error < full.Blocks[k].Error) {
			t.Errorf("the error rises from %v to %v at rank %d", full.Blocks[k].Error, b.Error, b.Rank)
		}
	}
	rounding := 1e-9
	if isDense {
		rounding = 0
	}
	target := full.Blocks[2].Error * (1 + rounding)
	res, err := factor(t.Context(), lnmu.RNMU{}, lnmu.Settings{Limits: lnmu.Limits{TargetError: target}})
	if err != nil || res.Stop != outcome.StopTarget || res.V.Cols != 3 || res.W.Rows != 3 || !(res.RelativeError <= target) {
		t.Errorf("target error %v: stop %q, %d factors, error %v, %v", target, res.Stop, res.V.Cols, res.RelativeError, err)
	}
	for k := range 3 {
		must.Equal(t, res.V.At(17, k), full.V.At(17, k), "factor", k, "depends on where the recursion ends")
	}

	for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.SNMF{SparsityV: 0.2}, lnmu.Hoyer{HoyerV: 0.4}, lnmu.NMF{Solver: lnmu.SolverAccelerated}} {
		if !isDense {
			break // TestTargetAtOnce
		}
		free := must.Get(factor(t.Context(), method, lnmu.Settings{Limits: lnmu.Limits{Iterations: 40, Tolerance: 1e-300}}))(t)
		want := slices.Min(free.Blocks[0].History)
		res, err := factor(t.Context(), method, lnmu.Settings{Limits: lnmu.Limits{Iterations: 40, TargetError: want}})
		if err != nil || res.Stop != outcome.StopTarget || !(res.RelativeError <= want) || len(res.Blocks[0].History) != res.Blocks[0].IterationsDone/10 {
			t.Errorf("%s, target error %v: %+v, %v", lnmutest.NameOf(method), want, res, err)
		}
		if res, err := factor(t.Context(), method, lnmu.Settings{Limits: lnmu.Limits{Iterations: 40, TargetError: want / 2}}); err != nil || res.Stop == outcome.StopTarget {
			t.Errorf("%s, target error %v: %+v, %v", lnmutest.NameOf(method), want/2, res, err)
		}
	}

	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
		res, err := factor(t.Context(), method, lnmu.Settings{Limits: lnmu.Limits{Tolerance: 1e-2}})
		if err != nil || res.Stop != outcome.StopTolerance || len(res.Blocks) == 0 {
			t.Errorf("%s with tolerance: %+v, %v", lnmutest.NameOf(method), res, err)
			continue
		}
		for _, b := range res.Blocks {
			if len(b.History) < 2 || 10*len(b.History) != b.IterationsDone {
				t.Errorf("%s: %d checks in %d iterations", lnmutest.NameOf(method), len(b.History), b.IterationsDone)
			}
		}
		if !isDense {
			continue
		}
		// The criterion does not depend on the scale of M.
		scaled := must.Get(lnmu.Factor(t.Context(), times(dense, 1024), 6, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Tolerance: 1e-2}}))(t)
		must.Equal(t, scaled.Blocks[0].IterationsDone, res.Blocks[0].IterationsDone, lnmutest.NameOf(method), res.Blocks, "for M", scaled.Blocks, "for 1024 M")
	}

	res, err = factor(t.Context(), lnmu.RNMU{}, lnmu.Settings{Limits: lnmu.Limits{TimeLimit: time.Nanosecond}})
	if err != nil || res.Stop != outcome.StopTime {
		t.Errorf("time limit: %+v, %v", res, err)
	}

	for _, restarts := range []int{1, 3} {
		for _, c := range []struct {
			block, last int // the call that cancels, of rnmu in the third factor
		}{{0, 100}, {1, 400}} {
			ctx, cancel := context.WithCancel(t.Context())
			method := lnmutest.Underapproximation(c.block, lnmu.GNMU{StepLength: cancelAt(c.last, cancel)})
			res, err := factor(ctx, method, lnmu.Settings{Start: lnmu.Start{Restarts: restarts}, Threads: 1})
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != outcome.StopCancelled {
				t.Fatalf("%s cancelled: %+v, %v", lnmutest.NameOf(method), res, err)
			}
			if c.block == 1 && (res.V.Cols != 2 || res.V.At(17, 1) != full.V.At(17, 1) || !(abs(res.RelativeError-full.Blocks[1].Error) <= rounding)) {
				t.Errorf("cancelled in the third factor: %d factors, error %v", res.V.Cols, res.RelativeError)
			}
			if c.block == 0 && (res.V.Cols != 6 || !(res.RelativeError < 1) || res.Blocks[0].IterationsDone != c.last-1) {
				t.Errorf("gnmu cancelled after %d iterations: %d factors, error %v", res.Blocks[0].IterationsDone, res.V.Cols, res.RelativeError)
			}
			cancel()
		}
	}
}
