package lnmu

import (
	"context"
	"errors"
	"math"
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
	for _, c := range []struct {
		name     string
		m        Dense[float64]
		rank     int
		method   Method
		settings Settings
		is       error
		says     string
	}{
		{"nan", with(4, 3, math.NaN()), 2, nil, Settings{}, ErrValue, "row 5, column 4 of M = NaN is not finite"},
		{"inf", with(2, 0, math.Inf(1)), 2, nil, Settings{}, ErrValue, "row 3, column 1 of M = +Inf is not finite"},
		{"minus inf", with(2, 0, math.Inf(-1)), 2, nil, Settings{}, ErrValue, "row 3, column 1 of M = -Inf is not finite"},
		{"negative", with(5, 4, -0.3), 2, nil, Settings{}, ErrValue, "row 6, column 5 of M = -0.3 is negative"},
		{"huge", scaled(1e200), 2, nil, Settings{}, ErrValue, "overflow; scale M down"},
		{"tiny", scaled(1e-200), 2, nil, Settings{}, ErrValue, "underflow; scale M up"},
		{"empty", Dense[float64]{}, 2, nil, Settings{}, ErrShape, "M is empty (0 x 0)"},
		{"negative size", Dense[float64]{Rows: -1, Cols: 3}, 2, nil, Settings{}, ErrShape, "-1 rows"},
		{"short data", Dense[float64]{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, Settings{}, ErrShape, "holds 8 elements"},
		{"huge claim", Dense[float64]{Rows: math.MaxInt, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, Settings{}, ErrShape, "holds 8 elements"},
		{"stride", Dense[float64]{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, 2, nil, Settings{}, ErrShape, "stride 2"},
		{"rank 0", ok, 0, nil, Settings{}, ErrOption, "rank 0 for a 6 x 5 matrix; choose 1 to 5"},
		{"rank 6", ok, 6, nil, Settings{}, ErrOption, "rank 6"},
		{"block", ok, 2, RNMU{Block: -1}, Settings{}, ErrOption, "block -1 is negative"},
		{"steps", ok, 2, GNMU{Lagrangian{StepsPerUpdate: -1}}, Settings{}, ErrOption, "number of steps per update -1 is negative"},
		{"iterations", ok, 2, nil, Settings{Iterations: -1}, ErrOption, "number of iterations -1 is negative"},
		{"check interval", ok, 2, nil, Settings{CheckEvery: -1}, ErrOption, "check interval -1 is negative"},
		{"threads", ok, 2, nil, Settings{Threads: -1}, ErrOption, "number of threads -1 is negative"},
		{"restarts", ok, 2, nil, Settings{Restarts: -1}, ErrOption, "number of restarts -1 is negative"},
		{"tolerance", ok, 2, nil, Settings{Tolerance: math.NaN()}, ErrOption, "tolerance NaN"},
		{"time limit", ok, 2, nil, Settings{TimeLimit: -1}, ErrOption, "time limit -1e-09"},
		{"target", ok, 2, nil, Settings{TargetError: -1}, ErrOption, "target error -1"},
		{"target of nmf", ok, 2, NMF{}, Settings{TargetError: 0.1}, ErrOption, "target error for method nmf"},
		{"init", ok, 2, nil, Settings{Init: "zeros"}, ErrOption, `unknown start "zeros"`},
		{"restarts of svd", ok, 2, nil, Settings{Init: InitSVD, Restarts: 3}, ErrOption, "3 restarts from one start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Factor(t.Context(), c.m, c.rank, c.method, &c.settings)
			if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("result %v, error %v; want %v that says %q", res, err, c.is, c.says)
			}
		})
	}
}

// TestBadStart is the same for a start, of a dense and of a sparse matrix.
func TestBadStart(t *testing.T) {
	m := data[float64](6, 5, 1)
	v, w := NewDense[float64](6, 2, nil), NewDense[float64](2, 5, nil)
	for _, c := range []struct {
		name     string
		v, w     Dense[float64]
		settings Settings
		is       error
		says     string
	}{
		{"two starts", v, w, Settings{Init: InitRandom}, ErrOption, `start "random" beside a given one`},
		{"restarts", v, w, Settings{Restarts: 3}, ErrOption, "3 restarts from one start"},
		{"none", Dense[float64]{}, Dense[float64]{}, Settings{}, ErrShape, "the start V is 0 x 0"},
		{"half", v, Dense[float64]{}, Settings{}, ErrShape, "the start W is 0 x 0, want 2 x 5"},
		{"other half", Dense[float64]{}, w, Settings{}, ErrShape, "the start V is 0 x 0"},
		{"shape", NewDense[float64](5, 2, nil), w, Settings{}, ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"exchanged", Transposed(w), Transposed(v), Settings{}, ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"short V", Dense[float64]{Rows: 6, Cols: 2, Stride: 2, Data: make([]float64, 3)}, w, Settings{}, ErrShape, "V is 6 x 2 with stride 2 but holds 3 elements"},
		{"short W", v, Dense[float64]{Rows: 2, Cols: 5, Stride: 5}, Settings{}, ErrShape, "W is 2 x 5 with stride 5 but holds 0 elements"},
		{"rank", NewDense[float64](6, 6, nil), NewDense[float64](6, 5, nil), Settings{}, ErrOption, "rank 6 for a 6 x 5 matrix"},
		{"value", NewDense(6, 1, []float64{0, 0, 0, -1, 0, 0}), NewDense[float64](1, 5, nil), Settings{}, ErrValue, "row 4, column 1 of V = -1 is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for from, factor := range map[string]func() (*Result[float64], error){
				"FactorFrom": func() (*Result[float64], error) { return FactorFrom(t.Context(), m, c.v, c.w, NMF{}, &c.settings) },
				"FactorSparseFrom": func() (*Result[float64], error) {
					return FactorSparseFrom(t.Context(), NewCSR(m), c.v, c.w, NMF{}, &c.settings)
				},
			} {
				res, err := factor()
				if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: result %v, error %v; want %v that says %q", from, res, err, c.is, c.says)
				}
			}
		})
	}
}

// TestZeros checks matrices that are zero in part or altogether.
func TestZeros(t *testing.T) {
	for _, method := range []Method{NMF{}, GNMU{}, RNMU{}} {
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

// TestRestarts checks that restarts do not disturb each other: what the second one
// finds does not depend on whether it takes over the memory of the first.
func TestRestarts(t *testing.T) {
	testRestarts[float32](t)
	testRestarts[float64](t)
}

func testRestarts[T Float](t *testing.T) {
	methods := []Method{
		NMF{}, GNMU{}, RNMU{}, RNMU{Norm: L1},
		GNMU{Lagrangian{Feasible: FeasibleEach}}, RNMU{Block: 2},
		SNMF{PenaltyV: 0.1, PenaltyW: 0.1}, SNMF{SparsityV: 0.5}, Hoyer{SparsenessV: 0.5},
	}
	for _, shape := range [][2]int{{32, 8}, {8, 32}, {300, 9}} {
		for _, method := range methods {
			for _, rank := range []int{1, 3} {
				for seed := range uint64(20) { // rounding differently does not always show
					m := data[T](shape[0], shape[1], seed)
					p, s, err := prepare(m.Rows, m.Cols, rank, method, &Settings{Iterations: 8, Threads: 1, Seed: seed}, false)
					if err != nil {
						t.Fatal(err)
					}
					src, err := sourceOf(m)
					if err != nil {
						t.Fatal(err)
					}
					norm, most, err := src.norm("M")
					if err != nil {
						t.Fatal(err)
					}
					j := newJob(t.Context(), src, given[T]{rank: rank}, p, s, norm, most, time.Now())
					alone, after := j.open(1), j.open(1)
					want := alone.run(2)
					after.run(1)
					got := after.run(2)
					if SHA256(got.V) != SHA256(want.V) || SHA256(got.W) != SHA256(want.W) {
						t.Errorf("%T %d x %d, %#v, rank %d, seed %d: the second restart depends on the first",
							T(0), m.Rows, m.Cols, method, rank, seed)
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
		for _, method := range []Method{NMF{}, GNMU{}, RNMU{}} {
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
	m := data[float64](150, 70, 8)
	count := func(method Method, threads, iterations int) uint64 {
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
	for _, method := range []Method{NMF{}, GNMU{}, RNMU{}} {
		for _, threads := range []int{1, 3} {
			count(method, threads, 1)
			few, many := count(method, threads, 10), count(method, threads, 210)
			// The runtime itself allocates now and then, but not once per iteration.
			if many > few+50 {
				t.Errorf("%s, %d threads: %d allocations in 10 iterations, %d in 210", nameOf(method), threads, few, many)
			}
		}
	}
}

// TestGivenStart checks that nmf and gnmu take a start as it is and continue
// from it, and that a recursion scales each factor's start to its residual.
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
