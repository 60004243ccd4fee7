package lnmu_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestRestarts checks that restarts do not disturb each other: what a later one finds does
// not depend on whether it takes over the memory of the first.
func TestRestarts(t *testing.T) { precisions(t, testRestarts[float64], testRestarts[float32]) }

// TestRestartsCounted: an early end is told from a whole run.
func TestRestartsCounted(t *testing.T) {
	m := lnmutest.Data[float64](60, 30, 1)
	res, err := lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 3}, Limits: lnmu.Limits{Iterations: 5}})
	if err != nil || res.RestartsBegun != 3 || res.RestartsFinished != 3 {
		t.Errorf("%d of 3 restarts begun, %d finished, %v", res.RestartsBegun, res.RestartsFinished, err)
	}
	res, err = lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 3}, Limits: lnmu.Limits{Iterations: 5, TimeLimit: time.Nanosecond}, Threads: 1})
	if err != nil || res.RestartsBegun != 1 || res.RestartsFinished != 0 {
		t.Errorf("out of time: %d of 3 restarts begun, %d finished, %v", res.RestartsBegun, res.RestartsFinished, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	res, err = lnmu.Factor(ctx, m, 3, lnmu.RNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 5}, Limits: lnmu.Limits{Iterations: 5}, Threads: 1, Watch: lnmu.Watch{Iterated: func(int) {
		if calls++; calls == 2*15+8 { // in the third restart
			cancel()
		}
	}}})
	if !errors.Is(err, context.Canceled) || res.RestartsBegun != 3 || res.RestartsFinished != 2 || res.BestRestart > 2 {
		t.Errorf("cancelled: %d of 5 restarts begun, %d finished, best %d, %v", res.RestartsBegun, res.RestartsFinished, res.BestRestart, err)
	}
}

func testRestarts[T lnmu.Float](t *testing.T) {
	all := []lnmu.Method{
		lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmutest.AugmentedOf(0, 4, 2), lnmutest.AugmentedOf(1, 1, 1),
		lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: lnmu.SolverAccelerated},
		lnmu.GNMU{Feasible: lnmu.FeasibleEach}, lnmu.RNMU{Block: 2}, lnmu.RNMU{ThresholdV: 0.2, SparsityW: 0.5},
		lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, lnmu.SNMF{SparsityV: 0.5}, lnmu.Hoyer{HoyerV: 0.5},
	}
	seeds := uint64(2) // rounding differently does not always show
	if os.Getenv("NMU_FULL") != "" {
		seeds = 20
	}
	for _, c := range []struct {
		rows, cols int
		kind       string
		methods    []lnmu.Method
		seeds      uint64
	}{
		{32, 8, "dense", all, seeds}, {8, 32, "dense", all, seeds}, {300, 9, "dense", all, seeds},
		{60, 50, "sparse", all[:6], 2 * seeds}, {60, 50, "stored", all[:6], 2 * seeds},
	} {
		compared := 0
		for _, method := range c.methods {
			for _, rank := range []int{1, 3} {
				for seed := range c.seeds {
					var m lnmu.Matrix[T] = lnmutest.Data[T](c.rows, c.cols, seed)
					if c.kind != "dense" {
						m = lnmu.Observed[T]{Matrix: lnmutest.SparseData[T](c.rows, c.cols, seed+8), StoredOnly: c.kind == "stored"}
					}
					settings := lnmu.Settings{Limits: lnmu.Limits{Iterations: 8}, Threads: 1, Start: lnmu.Start{Seed: seed, Restarts: 3}}
					got, err := lnmu.Factor(t.Context(), m, rank, method, &settings)
					if c.kind == "stored" && (errors.Is(err, lnmu.ErrOption) || errors.Is(err, lnmu.ErrValue)) {
						continue // refused, or a line stores nothing
					}
					must.Do(t, err, method)
					if got.BestRestart == 1 {
						continue // what the first one finds shows nothing
					}
					compared++
					settings.Seed, settings.Restarts = got.BestSeed, 1
					if want := must.Get(lnmu.Factor(t.Context(), m, rank, method, &settings))(t); !sameFactors(got, want) {
						t.Errorf("%T %d x %d, %s, %#v, rank %d, seed %d: restart %d depends on the ones before", T(0), c.rows, c.cols, c.kind, method, rank, seed, got.BestRestart)
					}
				}
			}
		}
		if compared < 25 && c.kind != "stored" {
			t.Errorf("only %d comparisons of %s %d x %d", compared, c.kind, c.rows, c.cols)
		}
	}
}

// TestRace: restarts are left where others had a smaller error, after a tenth and three tenths of the iterations. What
// the runs find to the end says which. They make no iteration twice, and the best one has the bits of a run alone. A run that
// is cut has the best factors that there are.
func TestRace(t *testing.T) {
	const iterations, restarts = 40, 7
	for _, method := range []lnmu.Method{
		lnmu.NMF{}, lnmu.NMF{Solver: lnmu.SolverHALS, SumToOneW: true}, lnmu.KL{}, lnmu.Hoyer{HoyerV: 0.5}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1},
	} {
		m := lnmutest.Data[float64](50, 40, 3)
		var values [restarts][4]float64
		for i := range values {
			res := must.Get(lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: uint64(i)}, Limits: lnmu.Limits{Iterations: iterations}, Record: true}))(t)
			if copy(values[i][:], res.Blocks[0].History); res.Restarts != nil {
				t.Errorf("one run has the restarts %+v", res.Restarts)
			}
		}
		want, left := make([]outcome.Restart, restarts), []int{0, 1, 2, 3, 4, 5, 6}
		for _, lap := range []struct{ at, kept int }{{0, 4}, {2, 2}, {3, 0}} {
			slices.SortFunc(left, func(a, b int) int { return cmp.Compare(values[a][lap.at], values[b][lap.at]) })
			for _, i := range left {
				want[i] = outcome.Restart{Seed: uint64(i), IterationsDone: 10 * (lap.at + 1), Error: outcome.Real(values[i][lap.at]), Stop: outcome.StopLeft}
				if lap.kept == 0 {
					want[i].Stop = outcome.StopIterations
				}
			}
			if lap.kept > 0 {
				left = left[:lap.kept]
			}
		}
		best := must.Get(lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: uint64(left[0])}, Limits: lnmu.Limits{Iterations: iterations}}))(t)
		all := must.Get(lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: restarts}, Limits: lnmu.Limits{Iterations: iterations}, FullRestarts: true}))(t)
		for _, r := range all.Restarts {
			if r.IterationsDone != iterations || r.Stop != outcome.StopIterations {
				t.Errorf("%#v: not to the end: %v", method, r)
			}
		}
		for _, threads := range []int{1, 3} {
			made := atomic.Int64{}
			settings := lnmu.Settings{Start: lnmu.Start{Restarts: restarts}, Limits: lnmu.Limits{Iterations: iterations}, Threads: threads, Watch: lnmu.Watch{Iterated: func(int) { made.Add(1) }}}
			got := must.Get(lnmu.Factor(t.Context(), m, 4, method, &settings))(t)
			for i, r := range got.Restarts {
				within := 1e-12
				if _, kl := method.(lnmu.KL); kl { // whose last updates come after the history
					within = 0.1 * float64(want[i].Error)
				}
				near := math.Abs(float64(r.Error-want[i].Error)) <= within
				if r.Error = want[i].Error; r != want[i] || !near {
					t.Errorf("%#v, %d threads: %v, want %v", method, threads, got.Restarts[i], want[i])
				}
			}
			if !sameFactors(got, best) || got.RestartsFinished != restarts || len(got.Restarts) != restarts {
				t.Errorf("%#v, %d threads: not the run of seed %d but %d", method, threads, left[0], got.BestSeed)
			}
			if made.Load() != restarts*10+4*20+2*10 {
				t.Errorf("%#v, %d threads: %d iterations", method, threads, made.Load())
			}
			ctx, cancel := context.WithCancel(t.Context())
			count := atomic.Int64{}
			settings.Iterated = func(int) {
				if count.Add(1) == restarts*10-5 { // of the last restart of the first lap
					cancel()
				}
			}
			cut, err := lnmu.Factor(ctx, m, 4, method, &settings)
			least := math.Inf(1)
			for _, r := range cut.Restarts {
				least = min(least, float64(r.Error))
			}
			value := cut.RelativeError
			if _, kl := method.(lnmu.KL); kl {
				value = cut.RelativeDivergence
			}
			if !errors.Is(err, context.Canceled) || cut.Stop != outcome.StopCancelled || threads == 1 && len(cut.Restarts) != restarts-1 || value > least {
				t.Errorf("%#v, %d threads, cut: %v, %s, %v, %v", method, threads, err, cut.Stop, value, cut.Restarts)
			}
		}
	}
}

// TestNoRaceOfWideWeights: restarts with weights of a wide range all run to the end.
func TestNoRaceOfWideWeights(t *testing.T) {
	m, weights := lnmutest.Data[float64](20, 15, 3), lnmutest.WeightsOf(lnmu.NewMask(20, 15), true)
	for _, c := range []struct {
		least float64
		races bool
	}{{1e-4, true}, {1e-6, false}} {
		weights.Data[0], weights.Data[1] = c.least, 1
		res := must.Get(lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, 3, nil, &lnmu.Settings{Start: lnmu.Start{Restarts: 7}, Limits: lnmu.Limits{Iterations: 40}}))(t)
		must.Equal(t, slices.ContainsFunc(res.Restarts, func(r outcome.Restart) bool { return r.Stop == outcome.StopLeft }), c.races, "weights from", c.least, "to 1", res.Restarts)
	}
}
