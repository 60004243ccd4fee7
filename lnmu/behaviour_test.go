package lnmu_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestZeros checks matrices that are zero in part or altogether.
func TestZeros(t *testing.T) {
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmutest.AugmentedOf(0, 1, 2), lnmutest.AugmentedOf(1, 1, 1), lnmu.NMF{Solver: lnmu.SolverAccelerated}} {
		res, err := lnmu.Factor(t.Context(), lnmu.NewDense[float32](4, 7, nil), 3, method, nil)
		if err != nil || res.RelativeError != 0 || res.Stop != lnmu.StopExact || res.V.Rows != 4 || res.W.Cols != 7 {
			t.Errorf("%s: M = 0 gives %+v, %v", lnmutest.NameOf(method), res, err)
		}
		for _, shape := range [][2]int{{80, 11}, {11, 80}} {
			m := lnmutest.Data[float64](shape[0], shape[1], 2)
			clear(m.Row(3))
			for i := range m.Rows {
				m.Data[i*m.Stride+5] = 0
			}
			res, err := lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Restarts: 1, Iterations: 30})
			if err != nil {
				t.Fatal(err)
			}
			for k := range 3 {
				if res.V.At(3, k) != 0 || res.W.At(k, 5) != 0 {
					t.Errorf("%s: zero row of M gives %v in V, zero column %v in W", lnmutest.NameOf(method), res.V.At(3, k), res.W.At(k, 5))
				}
			}
		}
	}
}

// TestExact checks that a recursion ends when nothing is left, with zero
// factors for the rest. The second factor takes what rounding left of the first.
func TestExact(t *testing.T) {
	m := lnmu.NewDense(3, 3, []float64{0, 0, 0, 0, 2, 0, 0, 0, 0})
	res, err := lnmu.Factor(t.Context(), m, 3, lnmu.RNMU{}, &lnmu.Settings{Restarts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if res.Stop != lnmu.StopExact || !(res.RelativeError < 1e-30) || res.V.Cols != 3 || len(res.Blocks) != 2 {
		t.Errorf("got %+v", res)
	}
}

// TestVanishing drives the multipliers so high that all of V vanishes and the
// fall back of the package documentation is needed.
func TestVanishing(t *testing.T) {
	for _, shape := range [][2]int{{40, 12}, {12, 40}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 4)
		steps := 0
		method := lnmu.GNMU{lnmu.Lagrangian{StepLength: func(k int) float64 {
			if k == 3 {
				steps++
				return 1e9
			}
			return 1 / float64(k)
		}}}
		res, err := lnmu.Factor(t.Context(), m, 2, method, &lnmu.Settings{Iterations: 12, Restarts: 1, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if steps != 1 {
			t.Fatalf("the step length was asked for %d times, want once", steps)
		}
		if !(res.RelativeError < 1) {
			t.Errorf("%v: relative error %v after recovery", shape, res.RelativeError)
		}
	}
}

// TestLimits checks every way to end early.
func TestLimits(t *testing.T) {
	m := lnmutest.Data[float64](90, 40, 5)
	factor := func(ctx context.Context, method lnmu.Method, s lnmu.Settings) (*lnmu.Result[float64], error) {
		t.Helper()
		s.Restarts = max(1, s.Restarts)
		return lnmu.Factor(ctx, m, 6, method, &s)
	}
	full, err := factor(t.Context(), lnmu.RNMU{}, lnmu.Settings{})
	if err != nil || full.Stop != lnmu.StopIterations || len(full.Blocks) != 6 {
		t.Fatalf("full run: %+v, %v", full, err)
	}
	for k, b := range full.Blocks[1:] {
		if !(b.Error < full.Blocks[k].Error) {
			t.Errorf("the error rises from %v to %v at rank %d", full.Blocks[k].Error, b.Error, b.Rank)
		}
	}

	target := full.Blocks[2].Error
	res, err := factor(t.Context(), lnmu.RNMU{}, lnmu.Settings{TargetError: target})
	if err != nil || res.Stop != lnmu.StopTarget || res.V.Cols != 3 || res.W.Rows != 3 || res.RelativeError != target {
		t.Errorf("target error %v: stop %q, %d factors, error %v, %v", target, res.Stop, res.V.Cols, res.RelativeError, err)
	}
	for k := range 3 {
		if res.V.At(17, k) != full.V.At(17, k) {
			t.Errorf("factor %d depends on where the recursion ends", k)
		}
	}

	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.SNMF{SparsityV: 0.2}, lnmu.Hoyer{SparsenessV: 0.4}, lnmu.NMF{Solver: lnmu.SolverAccelerated}} {
		free, err := factor(t.Context(), method, lnmu.Settings{Iterations: 40, Tolerance: 1e-300})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Min(free.Blocks[0].History)
		res, err := factor(t.Context(), method, lnmu.Settings{Iterations: 40, TargetError: want})
		if err != nil || res.Stop != lnmu.StopTarget || !(res.RelativeError <= want) || len(res.Blocks[0].History) != res.Blocks[0].Iterations/10 {
			t.Errorf("%s, target error %v: %+v, %v", lnmutest.NameOf(method), want, res, err)
		}
		if res, err := factor(t.Context(), method, lnmu.Settings{Iterations: 40, TargetError: want / 2}); err != nil || res.Stop == lnmu.StopTarget {
			t.Errorf("%s, target error %v: %+v, %v", lnmutest.NameOf(method), want/2, res, err)
		}
	}

	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
		res, err := factor(t.Context(), method, lnmu.Settings{Tolerance: 1e-2})
		if err != nil || res.Stop != lnmu.StopTolerance || len(res.Blocks) == 0 {
			t.Errorf("%s with tolerance: %+v, %v", lnmutest.NameOf(method), res, err)
			continue
		}
		for _, b := range res.Blocks {
			if len(b.History) < 2 || 10*len(b.History) != b.Iterations {
				t.Errorf("%s: %d checks in %d iterations", lnmutest.NameOf(method), len(b.History), b.Iterations)
			}
		}
		// The criterion does not depend on the scale of M.
		big := lnmu.NewDense[float64](m.Rows, m.Cols, nil)
		for i, x := range m.Data {
			big.Data[i] = 1024 * x
		}
		scaled, err := lnmu.Factor(t.Context(), big, 6, method, &lnmu.Settings{Restarts: 1, Tolerance: 1e-2})
		if err != nil || scaled.Blocks[0].Iterations != res.Blocks[0].Iterations {
			t.Errorf("%s: %+v for M, %+v for 1024 M (%v)", lnmutest.NameOf(method), res.Blocks, scaled.Blocks, err)
		}
	}

	res, err = factor(t.Context(), lnmu.RNMU{}, lnmu.Settings{TimeLimit: time.Nanosecond})
	if err != nil || res.Stop != lnmu.StopTime {
		t.Errorf("time limit: %+v, %v", res, err)
	}

	for _, restarts := range []int{1, 3} {
		for _, c := range []struct {
			block, last int // the call that cancels, of rnmu in the third factor
		}{{0, 100}, {1, 400}} {
			ctx, cancel := context.WithCancel(t.Context())
			method := lnmutest.Underapproximation(c.block, lnmu.Lagrangian{StepLength: cancelAt(c.last, cancel)})
			res, err := factor(ctx, method, lnmu.Settings{Restarts: restarts, Threads: 1})
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != lnmu.StopCancelled {
				t.Fatalf("%s cancelled: %+v, %v", lnmutest.NameOf(method), res, err)
			}
			if c.block == 1 && (res.V.Cols != 2 || res.V.At(17, 1) != full.V.At(17, 1) || res.RelativeError != full.Blocks[1].Error) {
				t.Errorf("cancelled in the third factor: %d factors, error %v", res.V.Cols, res.RelativeError)
			}
			if c.block == 0 && (res.V.Cols != 6 || !(res.RelativeError < 1) || res.Blocks[0].Iterations != c.last-1) {
				t.Errorf("gnmu cancelled after %d iterations: %d factors, error %v", res.Blocks[0].Iterations, res.V.Cols, res.RelativeError)
			}
			cancel()
		}
	}
}

// TestRestarts checks that restarts do not disturb each other: what a later one finds does
// not depend on whether it takes over the memory of the first.
func TestRestarts(t *testing.T) {
	testRestarts[float32](t)
	testRestarts[float64](t)
}

func testRestarts[T lnmu.Float](t *testing.T) {
	methods := []lnmu.Method{
		lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Norm: lnmu.L1}, lnmutest.AugmentedOf(0, 4, 2), lnmutest.AugmentedOf(1, 1, 1),
		lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: lnmu.SolverAccelerated},
		lnmu.GNMU{lnmu.Lagrangian{Feasible: lnmu.FeasibleEach}}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.2, SparsityW: 0.5}},
		lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, lnmu.SNMF{SparsityV: 0.5}, lnmu.Hoyer{SparsenessV: 0.5},
	}
	compared := 0
	seeds := uint64(4) // rounding differently does not always show
	if os.Getenv("NMU_FULL") != "" {
		seeds = 20
	}
	for _, shape := range [][2]int{{32, 8}, {8, 32}, {300, 9}} {
		for _, method := range methods {
			for _, rank := range []int{1, 3} {
				for seed := range seeds {
					m := lnmutest.Data[T](shape[0], shape[1], seed)
					settings := lnmu.Settings{Iterations: 8, Threads: 1, Seed: seed, Restarts: 3}
					got, err := lnmu.Factor(t.Context(), m, rank, method, &settings)
					if err != nil {
						t.Fatal(err)
					}
					if got.BestRestart == 1 {
						continue // what the first one finds shows nothing
					}
					compared++
					settings.Seed, settings.Restarts = got.Seed, 1
					want, err := lnmu.Factor(t.Context(), m, rank, method, &settings)
					if err != nil {
						t.Fatal(err)
					}
					if lnmu.SHA256(got.V) != lnmu.SHA256(want.V) || lnmu.SHA256(got.W) != lnmu.SHA256(want.W) {
						t.Errorf("%T %d x %d, %#v, rank %d, seed %d: restart %d depends on the ones before",
							T(0), m.Rows, m.Cols, method, rank, seed, got.BestRestart)
					}
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d comparisons", compared)
	}
}

// TestProgress checks what the callback is told.
func TestProgress(t *testing.T) {
	m := lnmutest.Data[float64](200, 100, 6)
	calls := 0
	_, err := lnmu.Factor(t.Context(), m, 5, lnmu.GNMU{}, &lnmu.Settings{Restarts: 2, Iterations: 150, Iterated: func(int) {
		time.Sleep(2 * time.Millisecond) // longer than the interval in all
	}, Progress: func(p lnmu.Progress) {
		calls++
		if p.Restarts != 2 || p.Restart < 1 || p.Restart > 2 || p.Rank != 5 || p.Iteration < 1 || p.Iteration > 150 ||
			!(p.RelativeError > 0 && p.RelativeError < 1) || p.Elapsed <= 0 || p.Remaining < 0 {
			t.Errorf("%+v", p)
		}
	}})
	if err != nil || calls == 0 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestOverwrite checks that working in M's memory does not change a bit, and
// that M is left alone otherwise.
func TestOverwrite(t *testing.T) {
	for _, shape := range [][2]int{{90, 41}, {41, 90}} {
		for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmutest.AugmentedOf(0, 1, 2), lnmutest.AugmentedOf(1, 1, 1)} {
			m := lnmutest.Data[float64](shape[0], shape[1], 7)
			before := append([]float64(nil), m.Data...)
			want, err := lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Restarts: 1, Iterations: 10})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range m.Data {
				if x != before[i] {
					t.Fatalf("%s has changed M", lnmutest.NameOf(method))
				}
			}
			got, err := lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Restarts: 1, Iterations: 10, Overwrite: true})
			if err != nil {
				t.Fatal(err)
			}
			if got.RelativeError != want.RelativeError || got.MaxViolation != want.MaxViolation {
				t.Errorf("%s: error %v, with Overwrite %v", lnmutest.NameOf(method), want.RelativeError, got.RelativeError)
			}
		}
	}
}

// TestAllocations checks that an iteration allocates nothing, nor does the call of
// Iterated.
func TestAllocations(t *testing.T) {
	dense, sparse := lnmutest.Data[float64](152, 72, 8), lnmutest.SparseData[float64](152, 72, 8)
	count := func(m lnmu.Matrix[float64], method lnmu.Method, threads, iterations int) uint64 {
		iterated := 0
		s := lnmu.Settings{Restarts: 1, Threads: threads, Iterations: iterations, Iterated: func(int) { iterated++ }}
		var res *lnmu.Result[float64]
		var err error
		_, mallocs := allocated(func() { res, err = lnmu.Factor(t.Context(), m, 4, method, &s) })
		if err != nil {
			t.Fatal(err)
		}
		if want := iterations * len(res.Blocks); iterated != want {
			t.Errorf("%s: Iterated was called %d times, want %d", lnmutest.NameOf(method), iterated, want)
		}
		return mallocs
	}
	both := []lnmu.Method{lnmu.KL{}, lnmu.KL{PenaltyV: 0.1, PenaltyW: 0.1}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmutest.AugmentedOf(0, 1, 2), lnmutest.AugmentedOf(1, 1, 1), lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: lnmu.SolverAccelerated}, lnmu.SNMF{SparsityV: 0.5, SparsityW: 0.5}}
	for _, c := range []struct {
		m       lnmu.Matrix[float64]
		methods []lnmu.Method
	}{{dense, append(both, lnmu.RNMU{Priors: allPriors(dense.Rows, dense.Cols)[7]})}, {sparse, both}} {
		for _, method := range c.methods {
			for _, threads := range []int{1, 3} {
				count(c.m, method, threads, 1)
				few, many := count(c.m, method, threads, 10), count(c.m, method, threads, 110)
				// The runtime itself allocates now and then, but not once per iteration.
				if many > few+50 {
					t.Errorf("%T, %s, %d threads: %d allocations in 10 iterations, %d in 110", c.m, lnmutest.NameOf(method), threads, few, many)
				}
			}
		}
	}
}
