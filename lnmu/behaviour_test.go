package lnmu

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// TestZeros checks matrices that are zero in part or altogether.
func TestZeros(t *testing.T) {
	for _, method := range []Method{NMF{}, GNMU{}, RNMU{}, augmentedOf(0, 1, 2), augmentedOf(1, 1, 1), NMF{Solver: SolverAccelerated}} {
		res, err := Factor(t.Context(), NewDense[float32](4, 7, nil), 3, method, nil)
		if err != nil || res.RelativeError != 0 || res.Stop != StopExact || res.V.Rows != 4 || res.W.Cols != 7 {
			t.Errorf("%s: M = 0 gives %+v, %v", nameOf(method), res, err)
		}
		for _, shape := range [][2]int{{80, 11}, {11, 80}} {
			m := data[float64](shape[0], shape[1], 2)
			clear(m.Row(3))
			for i := range m.Rows {
				m.Data[i*m.Stride+5] = 0
			}
			res, err := Factor(t.Context(), m, 3, method, &Settings{Restarts: 1, Iterations: 30})
			if err != nil {
				t.Fatal(err)
			}
			for k := range 3 {
				if res.V.At(3, k) != 0 || res.W.At(k, 5) != 0 {
					t.Errorf("%s: zero row of M gives %v in V, zero column %v in W", nameOf(method), res.V.At(3, k), res.W.At(k, 5))
				}
			}
		}
	}
}

// TestExact checks that a recursion ends when nothing is left, with zero
// factors for the rest. The second factor takes what rounding left of the first.
func TestExact(t *testing.T) {
	m := NewDense(3, 3, []float64{0, 0, 0, 0, 2, 0, 0, 0, 0})
	res, err := Factor(t.Context(), m, 3, RNMU{}, &Settings{Restarts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if res.Stop != StopExact || !(res.RelativeError < 1e-30) || res.V.Cols != 3 || len(res.Blocks) != 2 {
		t.Errorf("got %+v", res)
	}
}

// TestVanishing drives the multipliers so high that all of V vanishes and the
// fall back of the package documentation is needed.
func TestVanishing(t *testing.T) {
	for _, shape := range [][2]int{{40, 12}, {12, 40}} {
		m := data[float64](shape[0], shape[1], 4)
		steps := 0
		method := GNMU{Lagrangian{StepLength: func(k int) float64 {
			if k == 3 {
				steps++
				return 1e9
			}
			return 1 / float64(k)
		}}}
		res, err := Factor(t.Context(), m, 2, method, &Settings{Iterations: 12, Restarts: 1, Threads: 1})
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
	m := data[float64](90, 40, 5)
	factor := func(ctx context.Context, method Method, s Settings) (*Result[float64], error) {
		t.Helper()
		s.Restarts = max(1, s.Restarts)
		return Factor(ctx, m, 6, method, &s)
	}
	full, err := factor(t.Context(), RNMU{}, Settings{})
	if err != nil || full.Stop != StopIterations || len(full.Blocks) != 6 {
		t.Fatalf("full run: %+v, %v", full, err)
	}
	for k, b := range full.Blocks[1:] {
		if !(b.Error < full.Blocks[k].Error) {
			t.Errorf("the error rises from %v to %v at rank %d", full.Blocks[k].Error, b.Error, b.Rank)
		}
	}

	target := full.Blocks[2].Error
	res, err := factor(t.Context(), RNMU{}, Settings{TargetError: target})
	if err != nil || res.Stop != StopTarget || res.V.Cols != 3 || res.W.Rows != 3 || res.RelativeError != target {
		t.Errorf("target error %v: stop %q, %d factors, error %v, %v", target, res.Stop, res.V.Cols, res.RelativeError, err)
	}
	for k := range 3 {
		if res.V.At(17, k) != full.V.At(17, k) {
			t.Errorf("factor %d depends on where the recursion ends", k)
		}
	}

	for _, method := range []Method{NMF{}, GNMU{}, SNMF{SparsityV: 0.2}, Hoyer{SparsenessV: 0.4}, NMF{Solver: SolverAccelerated}} {
		free, err := factor(t.Context(), method, Settings{Iterations: 40, Tolerance: 1e-300})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Min(free.Blocks[0].History)
		res, err := factor(t.Context(), method, Settings{Iterations: 40, TargetError: want})
		if err != nil || res.Stop != StopTarget || !(res.RelativeError <= want) || res.Blocks[0].Iterations != 10*len(res.Blocks[0].History) {
			t.Errorf("%s, target error %v: %+v, %v", nameOf(method), want, res, err)
		}
		if res, err := factor(t.Context(), method, Settings{Iterations: 40, TargetError: want / 2}); err != nil || res.Stop == StopTarget {
			t.Errorf("%s, target error %v: %+v, %v", nameOf(method), want/2, res, err)
		}
	}

	for _, method := range []Method{NMF{}, GNMU{}, RNMU{}} {
		res, err := factor(t.Context(), method, Settings{Tolerance: 1e-2})
		if err != nil || res.Stop != StopTolerance || len(res.Blocks) == 0 {
			t.Errorf("%s with tolerance: %+v, %v", nameOf(method), res, err)
			continue
		}
		for _, b := range res.Blocks {
			if len(b.History) < 2 || 10*len(b.History) != b.Iterations {
				t.Errorf("%s: %d checks in %d iterations", nameOf(method), len(b.History), b.Iterations)
			}
		}
		// The criterion does not depend on the scale of M.
		big := NewDense[float64](m.Rows, m.Cols, nil)
		for i, x := range m.Data {
			big.Data[i] = 1024 * x
		}
		scaled, err := Factor(t.Context(), big, 6, method, &Settings{Restarts: 1, Tolerance: 1e-2})
		if err != nil || scaled.Blocks[0].Iterations != res.Blocks[0].Iterations {
			t.Errorf("%s: %+v for M, %+v for 1024 M (%v)", nameOf(method), res.Blocks, scaled.Blocks, err)
		}
	}

	res, err = factor(t.Context(), RNMU{}, Settings{TimeLimit: time.Nanosecond})
	if err != nil || res.Stop != StopTime {
		t.Errorf("time limit: %+v, %v", res, err)
	}

	for _, restarts := range []int{1, 3} {
		for _, c := range []struct {
			block, last int // the call that cancels, of rnmu in the third factor
		}{{0, 100}, {1, 400}} {
			ctx, cancel := context.WithCancel(t.Context())
			method := underapproximation(c.block, Lagrangian{StepLength: cancelAt(c.last, cancel)})
			res, err := factor(ctx, method, Settings{Restarts: restarts, Threads: 1})
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
				t.Fatalf("%s cancelled: %+v, %v", nameOf(method), res, err)
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

func testRestarts[T Float](t *testing.T) {
	methods := []Method{
		KL{}, KL{Solver: SolverCoordinate}, NMF{}, GNMU{}, RNMU{}, RNMU{Norm: L1}, augmentedOf(0, 4, 2), augmentedOf(1, 1, 1),
		NMF{Solver: SolverAccelerated}, SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: SolverAccelerated},
		GNMU{Lagrangian{Feasible: FeasibleEach}}, RNMU{Block: 2}, RNMU{Priors: Priors{PenaltyV: 0.2, SparsityW: 0.5}},
		SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, SNMF{SparsityV: 0.5}, Hoyer{SparsenessV: 0.5},
	}
	compared := 0
	seeds := uint64(20) // rounding differently does not always show
	if testing.Short() {
		seeds = 4
	}
	for _, shape := range [][2]int{{32, 8}, {8, 32}, {300, 9}} {
		for _, method := range methods {
			for _, rank := range []int{1, 3} {
				for seed := range seeds {
					m := data[T](shape[0], shape[1], seed)
					settings := Settings{Iterations: 8, Threads: 1, Seed: seed, Restarts: 3}
					got, err := Factor(t.Context(), m, rank, method, &settings)
					if err != nil {
						t.Fatal(err)
					}
					if got.BestRestart == 1 {
						continue // what the first one finds shows nothing
					}
					compared++
					settings.Seed, settings.Restarts = got.Seed, 1
					want, err := Factor(t.Context(), m, rank, method, &settings)
					if err != nil {
						t.Fatal(err)
					}
					if SHA256(got.V) != SHA256(want.V) || SHA256(got.W) != SHA256(want.W) {
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
	m := data[float64](200, 100, 6)
	calls := 0
	_, err := Factor(t.Context(), m, 5, GNMU{}, &Settings{Restarts: 2, Iterations: 150, Iterated: func(int) {
		time.Sleep(2 * time.Millisecond) // longer than the interval in all
	}, Progress: func(p Progress) {
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
		for _, method := range []Method{NMF{}, GNMU{}, RNMU{}, augmentedOf(0, 1, 2), augmentedOf(1, 1, 1)} {
			m := data[float64](shape[0], shape[1], 7)
			before := append([]float64(nil), m.Data...)
			want, err := Factor(t.Context(), m, 3, method, &Settings{Restarts: 1, Iterations: 10})
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range m.Data {
				if x != before[i] {
					t.Fatalf("%s has changed M", nameOf(method))
				}
			}
			got, err := Factor(t.Context(), m, 3, method, &Settings{Restarts: 1, Iterations: 10, Overwrite: true})
			if err != nil {
				t.Fatal(err)
			}
			if got.RelativeError != want.RelativeError || got.MaxViolation != want.MaxViolation {
				t.Errorf("%s: error %v, with Overwrite %v", nameOf(method), want.RelativeError, got.RelativeError)
			}
		}
	}
}

// TestAllocations checks that an iteration allocates nothing, nor does the call of
// Iterated.
func TestAllocations(t *testing.T) {
	dense, sparse := data[float64](152, 72, 8), sparseData[float64](152, 72, 8)
	count := func(m Matrix[float64], method Method, threads, iterations int) uint64 {
		iterated := 0
		s := Settings{Restarts: 1, Threads: threads, Iterations: iterations, Iterated: func(int) { iterated++ }}
		var res *Result[float64]
		var err error
		_, mallocs := allocated(func() { res, err = Factor(t.Context(), m, 4, method, &s) })
		if err != nil {
			t.Fatal(err)
		}
		if want := iterations * len(res.Blocks); iterated != want {
			t.Errorf("%s: Iterated was called %d times, want %d", nameOf(method), iterated, want)
		}
		return mallocs
	}
	both := []Method{KL{}, KL{PenaltyV: 0.1, PenaltyW: 0.1}, KL{Solver: SolverCoordinate}, NMF{}, GNMU{}, RNMU{}, augmentedOf(0, 1, 2), augmentedOf(1, 1, 1), NMF{Solver: SolverAccelerated}, SNMF{PenaltyV: 0.1, PenaltyW: 0.1, Solver: SolverAccelerated}, SNMF{SparsityV: 0.5, SparsityW: 0.5}}
	for _, c := range []struct {
		m       Matrix[float64]
		methods []Method
	}{{dense, append(both, RNMU{Priors: allPriors(dense.Rows, dense.Cols)[7]})}, {sparse, both}} {
		for _, method := range c.methods {
			for _, threads := range []int{1, 3} {
				count(c.m, method, threads, 1)
				few, many := count(c.m, method, threads, 10), count(c.m, method, threads, 210)
				// The runtime itself allocates now and then, but not once per iteration.
				if many > few+50 {
					t.Errorf("%T, %s, %d threads: %d allocations in 10 iterations, %d in 210", c.m, nameOf(method), threads, few, many)
				}
			}
		}
	}
}
