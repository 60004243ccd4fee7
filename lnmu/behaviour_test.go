package lnmu

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestBadInput checks that what cannot be factored is refused with an error
// that says where and why.
func TestBadInput(t *testing.T) {
	ok := data[float64](6, 5, 1)
	with := func(i, j int, x float64) Dense[float64] {
		d := NewDense[float64](6, 5, append([]float64(nil), ok.Data...))
		d.Data[i*5+j] = x
		return d
	}
	scaled := func(f float64) Dense[float64] {
		d := with(0, 0, 1)
		for i := range d.Data {
			d.Data[i] *= f
		}
		return d
	}
	rank2 := Options[float64]{Rank: 2}
	for _, c := range []struct {
		name string
		m    Dense[float64]
		opt  Options[float64]
		is   error
		says string
	}{
		{"nan", with(4, 3, math.NaN()), rank2, ErrValue, "row 5, column 4 of M = NaN is not finite"},
		{"inf", with(2, 0, math.Inf(1)), rank2, ErrValue, "row 3, column 1 of M = +Inf is not finite"},
		{"minus inf", with(2, 0, math.Inf(-1)), rank2, ErrValue, "row 3, column 1 of M = -Inf is not finite"},
		{"negative", with(5, 4, -0.3), rank2, ErrValue, "row 6, column 5 of M = -0.3 is negative"},
		{"huge", scaled(1e200), rank2, ErrValue, "overflow; scale M down"},
		{"tiny", scaled(1e-200), rank2, ErrValue, "underflow; scale M up"},
		{"empty", Dense[float64]{}, rank2, ErrShape, "M is empty (0 x 0)"},
		{"negative size", Dense[float64]{Rows: -1, Cols: 3}, rank2, ErrShape, "-1 rows"},
		{"short data", Dense[float64]{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}, rank2, ErrShape, "holds 8 elements"},
		{"huge claim", Dense[float64]{Rows: math.MaxInt, Cols: 3, Stride: 3, Data: make([]float64, 8)}, rank2, ErrShape, "holds 8 elements"},
		{"stride", Dense[float64]{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, rank2, ErrShape, "stride 2"},
		{"rank 0", ok, Options[float64]{}, ErrOption, "rank 0 for a 6 x 5 matrix; choose 1 to 5"},
		{"rank 6", ok, Options[float64]{Rank: 6}, ErrOption, "rank 6"},
		{"method", ok, Options[float64]{Rank: 2, Method: "als"}, ErrOption, `unknown method "als"`},
		{"block", ok, Options[float64]{Rank: 2, Method: GNMU, Block: 3}, ErrOption, "blocks are for rnmu"},
		{"negative block", ok, Options[float64]{Rank: 2, Block: -1}, ErrOption, "block -1 is negative"},
		{"iterations", ok, Options[float64]{Rank: 2, Iterations: -1}, ErrOption, "iterations -1"},
		{"threads", ok, Options[float64]{Rank: 2, Threads: -1}, ErrOption, "threads -1"},
		{"restarts", ok, Options[float64]{Rank: 2, Restarts: -1}, ErrOption, "restarts -1"},
		{"tolerance", ok, Options[float64]{Rank: 2, Tolerance: math.NaN()}, ErrOption, "tolerance NaN"},
		{"target", ok, Options[float64]{Rank: 2, TargetError: -1}, ErrOption, "target error -1"},
		{"target of nmf", ok, Options[float64]{Rank: 2, Method: NMF, TargetError: 0.1}, ErrOption, "target error for method nmf"},
		{"init", ok, Options[float64]{Rank: 2, Init: "zeros"}, ErrOption, `unknown start "zeros"`},
		{"ignored start", ok, Options[float64]{Rank: 2, Init: InitRandom, V: ok}, ErrOption, "V or W is given"},
		{"half a start", ok, Options[float64]{Rank: 2, V: NewDense[float64](6, 2, nil)}, ErrShape, "the start W is 0 x 0, want 2 x 5"},
		{"start shape", ok, Options[float64]{Rank: 2, V: NewDense[float64](5, 2, nil)}, ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"start value", ok, Options[float64]{Rank: 1, V: NewDense(6, 1, []float64{0, 0, 0, -1, 0, 0}), W: NewDense[float64](1, 5, nil)}, ErrValue, "row 4, column 1 of V = -1 is negative"},
		{"restarts of a start", ok, Options[float64]{Rank: 2, Restarts: 3, V: NewDense[float64](6, 2, nil), W: NewDense[float64](2, 5, nil)}, ErrOption, "3 restarts from one start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Factor(context.Background(), c.m, c.opt)
			if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("result %v, error %v; want %v that says %q", res, err, c.is, c.says)
			}
		})
	}
}

// TestZeros checks matrices that are zero in part or altogether.
func TestZeros(t *testing.T) {
	for _, method := range []Method{NMF, GNMU, RNMU} {
		res, err := Factor(context.Background(), NewDense[float32](4, 7, nil), Options[float32]{Method: method, Rank: 3})
		if err != nil || res.RelativeError != 0 || res.Stop != StopExact || res.V.Rows != 4 || res.W.Cols != 7 {
			t.Errorf("%s: M = 0 gives %+v, %v", method, res, err)
		}
		for _, shape := range [][2]int{{80, 11}, {11, 80}} {
			m := data[float64](shape[0], shape[1], 2)
			clear(m.Row(3))
			for i := range m.Rows {
				m.Data[i*m.Stride+5] = 0
			}
			res, err := Factor(context.Background(), m, Options[float64]{Method: method, Rank: 3, Restarts: 1, Iterations: 30})
			if err != nil {
				t.Fatal(err)
			}
			for k := range 3 {
				if res.V.At(3, k) != 0 || res.W.At(k, 5) != 0 {
					t.Errorf("%s: zero row of M gives %v in V, zero column %v in W", method, res.V.At(3, k), res.W.At(k, 5))
				}
			}
		}
	}
}

// TestExact checks that a recursion ends when nothing is left, with zero
// factors for the rest. The second factor takes what rounding left of the first.
func TestExact(t *testing.T) {
	m := NewDense(3, 3, []float64{0, 0, 0, 0, 2, 0, 0, 0, 0})
	res, err := Factor(context.Background(), m, Options[float64]{Rank: 3, Restarts: 1})
	if err != nil {
		t.Fatal(err)
	}
	if res.Stop != StopExact || !(res.RelativeError < 1e-30) || res.V.Cols != 3 || len(res.ErrorPerRank) != 2 {
		t.Errorf("got %+v", res)
	}
}

// TestVanishing drives the multipliers so high that all of V vanishes and the
// fall back of the package documentation is needed.
func TestVanishing(t *testing.T) {
	for _, shape := range [][2]int{{40, 12}, {12, 40}} {
		m := data[float64](shape[0], shape[1], 4)
		steps := 0
		opt := Options[float64]{Method: GNMU, Rank: 2, Iterations: 12, Restarts: 1, Threads: 1, Step: func(k int) float64 {
			if k == 3 {
				steps++
				return 1e9
			}
			return 1 / float64(k)
		}}
		res, err := Factor(context.Background(), m, opt)
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
	factor := func(ctx context.Context, opt Options[float64]) (*Result[float64], error) {
		t.Helper()
		opt.Rank, opt.Restarts = 6, max(1, opt.Restarts)
		return Factor(ctx, m, opt)
	}
	full, err := factor(context.Background(), Options[float64]{})
	if err != nil || full.Stop != StopIterations || len(full.ErrorPerRank) != 6 {
		t.Fatalf("full run: %+v, %v", full, err)
	}
	for k, e := range full.ErrorPerRank[1:] {
		if !(e < full.ErrorPerRank[k]) {
			t.Errorf("the error rises from %v to %v at rank %d", full.ErrorPerRank[k], e, k+2)
		}
	}

	target := full.ErrorPerRank[2]
	res, err := factor(context.Background(), Options[float64]{TargetError: target})
	if err != nil || res.Stop != StopTarget || res.V.Cols != 3 || res.W.Rows != 3 || res.RelativeError != target {
		t.Errorf("target error %v: stop %q, %d factors, error %v, %v", target, res.Stop, res.V.Cols, res.RelativeError, err)
	}
	for k := range 3 {
		if res.V.At(17, k) != full.V.At(17, k) {
			t.Errorf("factor %d depends on where the recursion ends", k)
		}
	}

	for _, method := range []Method{NMF, GNMU, RNMU} {
		res, err := factor(context.Background(), Options[float64]{Method: method, Tolerance: 1e-2})
		if err != nil || res.Stop != StopTolerance || len(res.History) != len(res.Iterations) {
			t.Errorf("%s with tolerance: %+v, %v", method, res, err)
			continue
		}
		for b, h := range res.History {
			if len(h) < 2 || 10*len(h) != res.Iterations[b] {
				t.Errorf("%s: %d checks in %d iterations", method, len(h), res.Iterations[b])
			}
		}
		// The criterion does not depend on the scale of M.
		big := NewDense[float64](m.Rows, m.Cols, nil)
		for i, x := range m.Data {
			big.Data[i] = 1024 * x
		}
		scaled, err := Factor(context.Background(), big, Options[float64]{Method: method, Rank: 6, Restarts: 1, Tolerance: 1e-2})
		if err != nil || scaled.Iterations[0] != res.Iterations[0] {
			t.Errorf("%s: %v iterations for M, %v for 1024 M (%v)", method, res.Iterations, scaled.Iterations, err)
		}
	}

	res, err = factor(context.Background(), Options[float64]{TimeLimit: time.Nanosecond})
	if err != nil || res.Stop != StopTime {
		t.Errorf("time limit: %+v, %v", res, err)
	}

	for _, restarts := range []int{1, 3} {
		for _, method := range []Method{GNMU, RNMU} {
			ctx, cancel := context.WithCancel(context.Background())
			seen, last := 0, 400 // of rnmu in the third factor
			if method == GNMU {
				last = 100
			}
			res, err := factor(ctx, Options[float64]{Method: method, Restarts: restarts, Threads: 1, Step: func(k int) float64 {
				if seen++; seen == last {
					cancel()
				}
				return 1 / float64(k)
			}})
			if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
				t.Fatalf("%s cancelled: %+v, %v", method, res, err)
			}
			if method == RNMU && (res.V.Cols != 2 || res.V.At(17, 1) != full.V.At(17, 1) || res.RelativeError != full.ErrorPerRank[1]) {
				t.Errorf("cancelled in the third factor: %d factors, error %v", res.V.Cols, res.RelativeError)
			}
			if method == GNMU && (res.V.Cols != 6 || !(res.RelativeError < 1) || res.Iterations[0] != last-1) {
				t.Errorf("gnmu cancelled after %v iterations: %d factors, error %v", res.Iterations, res.V.Cols, res.RelativeError)
			}
			cancel()
		}
	}
}

// TestRestarts checks that restarts do not disturb each other: what the second one
// finds does not depend on whether it takes over the memory of the first.
func TestRestarts(t *testing.T) {
	testRestarts[float32](t)
	testRestarts[float64](t)
}

func testRestarts[T Float](t *testing.T) {
	methods := []Options[T]{
		{Method: NMF}, {Method: GNMU}, {Method: RNMU}, {Method: RNMU, Norm: L1},
		{Method: GNMU, Feasible: FeasibleEach}, {Method: RNMU, Block: 2},
		{Method: SNMF, PenaltyV: 0.1, PenaltyW: 0.1}, {Method: SNMF, SparsityV: 0.5}, {Method: Hoyer, HoyerV: 0.5},
	}
	for _, shape := range [][2]int{{32, 8}, {8, 32}, {300, 9}} {
		for _, opt := range methods {
			for _, opt.Rank = range []int{1, 3} {
				for seed := range uint64(20) { // rounding differently does not always show
					m := data[T](shape[0], shape[1], seed)
					opt.Iterations, opt.Threads, opt.Seed = 8, 1, seed
					opt, err := opt.WithDefaults(m.Rows, m.Cols)
					if err != nil {
						t.Fatal(err)
					}
					norm, most, err := frobenius("M", m)
					if err != nil {
						t.Fatal(err)
					}
					j := newJob(t.Context(), m, opt, norm, most, time.Now())
					alone, after := j.open(1), j.open(1)
					want := alone.run(2)
					after.run(1)
					got := after.run(2)
					if SHA256(got.V) != SHA256(want.V) || SHA256(got.W) != SHA256(want.W) {
						t.Errorf("%T %d x %d, %s, rank %d, seed %d: the second restart depends on the first",
							T(0), m.Rows, m.Cols, opt.Method, opt.Rank, seed)
					}
					alone.Close()
					after.Close()
				}
			}
		}
	}
}

// TestBestRestart checks that the order in which restarts end decides nothing.
func TestBestRestart(t *testing.T) {
	for _, c := range []struct {
		errors []float64 // by restart
		best   int
	}{
		{[]float64{0.3, 0.2, 0.1}, 3},
		{[]float64{0.2, 0.1, 0.1}, 2},
		{[]float64{math.NaN(), 0.1, 0.2}, 2},
		{[]float64{0.1, math.NaN(), math.NaN()}, 1},
		{[]float64{math.NaN(), math.NaN(), math.Inf(1)}, 3},
		{[]float64{math.NaN(), math.NaN(), math.NaN()}, 1},
	} {
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			var j job[float64]
			for _, i := range order {
				j.settle(&Result[float64]{RelativeError: c.errors[i], BestRestart: i + 1})
			}
			if j.best.BestRestart != c.best {
				t.Errorf("errors %v, ended in the order %v: best is restart %d, want %d", c.errors, order, j.best.BestRestart, c.best)
			}
		}
	}
}

// TestProgress checks what the callback is told.
func TestProgress(t *testing.T) {
	m := data[float64](200, 100, 6)
	calls := 0
	_, err := Factor(context.Background(), m, Options[float64]{Method: GNMU, Rank: 5, Restarts: 2, Iterations: 150, Step: func(int) float64 {
		time.Sleep(2 * time.Millisecond) // longer than the interval in all
		return 0.1
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
		for _, method := range []Method{NMF, GNMU, RNMU} {
			m := data[float64](shape[0], shape[1], 7)
			before := append([]float64(nil), m.Data...)
			opt := Options[float64]{Method: method, Rank: 3, Restarts: 1, Iterations: 10}
			want, err := Factor(context.Background(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range m.Data {
				if x != before[i] {
					t.Fatalf("%s has changed M", method)
				}
			}
			opt.Overwrite = true
			got, err := Factor(context.Background(), m, opt)
			if err != nil {
				t.Fatal(err)
			}
			if got.RelativeError != want.RelativeError || got.MaxViolation != want.MaxViolation {
				t.Errorf("%s: error %v, with Overwrite %v", method, want.RelativeError, got.RelativeError)
			}
		}
	}
}

// TestAllocations checks that an iteration allocates nothing.
func TestAllocations(t *testing.T) {
	m := data[float64](150, 70, 8)
	count := func(method Method, threads, iterations int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Factor(context.Background(), m, Options[float64]{Method: method, Rank: 4, Restarts: 1, Threads: threads, Iterations: iterations}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	for _, method := range []Method{NMF, GNMU, RNMU} {
		for _, threads := range []int{1, 3} {
			count(method, threads, 1)
			few, many := count(method, threads, 10), count(method, threads, 210)
			// The runtime itself allocates now and then, but not once per iteration.
			if many > few+50 {
				t.Errorf("%s, %d threads: %d allocations in 10 iterations, %d in 210", method, threads, few, many)
			}
		}
	}
}

// TestGivenStart checks that nmf and gnmu take a start as it is and continue
// from it, and that a recursion scales each factor's start to its residual.
func TestGivenStart(t *testing.T) {
	m := data[float64](60, 33, 9)
	first, err := Factor(context.Background(), m, Options[float64]{Method: NMF, Rank: 4, Restarts: 1, Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	more, err := Factor(context.Background(), m, Options[float64]{Method: NMF, Iterations: 20, Rank: 4, V: first.V, W: first.W})
	if err != nil {
		t.Fatal(err)
	}
	once, err := Factor(context.Background(), m, Options[float64]{Method: NMF, Rank: 4, Restarts: 1, Iterations: 40})
	if err != nil {
		t.Fatal(err)
	}
	if more.RelativeError != once.RelativeError {
		t.Errorf("20 + 20 iterations give %v, 40 give %v", more.RelativeError, once.RelativeError)
	}

	v, w := randomStart[float64](60, 33, 4, 0)
	random, err := Factor(context.Background(), m, Options[float64]{Rank: 4, Restarts: 1, Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Data {
		v.Data[i] *= 64 // undone by the scaling, exactly
	}
	given, err := Factor(context.Background(), m, Options[float64]{Rank: 4, Iterations: 20, V: v, W: w})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(given.RelativeError-random.RelativeError) > 1e-12 {
		t.Errorf("the scaled start gives %v, the random one %v", given.RelativeError, random.RelativeError)
	}
}
