package lnmu

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"nmu/internal/leak"
)

// never is what work asks that has no limit.
func never() bool { return false }

// countdown is a context that is cancelled when it has been asked so many times.
type countdown struct {
	context.Context
	left  atomic.Int64
	asked atomic.Int64
}

func newCountdown(asks int64) *countdown {
	c := &countdown{Context: context.Background()}
	c.left.Store(asks)
	return c
}

func (c *countdown) Err() error {
	c.asked.Add(1)
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestLimitWithinPhases counts how often each phase that may take longer than a
// pass over M asks whether it is over, and cancels it at every tenth of that: the
// work must end, with a result that says so. The first case would take years.
func TestLimitWithinPhases(t *testing.T) {
	const forever = math.MaxInt
	m := data[float64](60, 50, 3)
	sparse := NewCSR(m)
	for _, c := range []struct {
		name     string
		rank     int
		method   Method
		settings Settings
		asks     int64 // at least
	}{
		{"steps of gnmu", 4, GNMU{Lagrangian{StepsPerUpdate: forever}}, Settings{}, forever},
		{"steps of rnmu", 4, RNMU{Lagrangian: Lagrangian{StepsPerUpdate: forever}}, Settings{}, forever},
		{"steps of rnmu, l1", 4, RNMU{Norm: L1, Lagrangian: Lagrangian{StepsPerUpdate: forever}}, Settings{}, forever},
		{"steps of rnmu, priors", 4, RNMU{Lagrangian: Lagrangian{StepsPerUpdate: forever}, Priors: allPriors(60, 50)[5]}, Settings{}, forever},
		{"sweeps of gnmu", 4, GNMU{Lagrangian{Sweeps: forever}}, Settings{}, forever},
		{"sweeps of rnmu by 2", 4, RNMU{Block: 2, Lagrangian: Lagrangian{Sweeps: forever}}, Settings{}, forever},
		{"sweeps of admm", 4, GNMU{Lagrangian{Solver: SolverADMM, Sweeps: forever}}, Settings{}, forever},
		{"iterations of accelerated nmf", 4, NMF{Solver: SolverAccelerated, Sweeps: forever}, Settings{Iterations: forever}, forever},
		{"rows and columns of l1", 1, RNMU{Norm: L1, Lagrangian: Lagrangian{StepsPerUpdate: 1}}, Settings{Iterations: 1}, 60 + 50/8},
		{"start svd", 45, NMF{}, Settings{Init: InitSVD, Iterations: 1}, 40},
		{"rows of feasible final", 12, GNMU{Lagrangian{Feasible: FeasibleFinal, ExactSteps: 3}}, Settings{Iterations: 2}, 2 * (60 + 50)},
		{"rows of feasible each", 12, RNMU{Block: 6, Lagrangian: Lagrangian{Feasible: FeasibleEach}}, Settings{Iterations: 2}, 2 * (60 + 50)},
		{"steps of hoyer", 4, Hoyer{SparsenessV: 0.9, SparsenessW: 0.9}, Settings{Iterations: 50}, 150},
	} {
		c.settings.Restarts = 1
		t.Run(c.name, func(t *testing.T) {
			asks := int64(1000)
			if c.asks != forever {
				ctx := newCountdown(forever)
				if _, err := Factor(ctx, m, c.rank, c.method, &c.settings); err != nil {
					t.Fatal(err)
				}
				if asks = ctx.asked.Load(); asks < c.asks {
					t.Errorf("asked %d times whether it is over, want at least %d", asks, c.asks)
				}
			}
			for part := range int64(10) {
				ctx := newCountdown(part * asks / 10)
				res, err := Factor(ctx, m, c.rank, c.method, &c.settings)
				if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
					t.Fatalf("cancelled after %d asks: %+v, %v", part*asks/10, res, err)
				}
				if more := ctx.asked.Load() - part*asks/10; more > 200 {
					t.Errorf("cancelled after %d asks, asked %d times more", part*asks/10, more)
				}
				if !(res.RelativeError < 2) || res.V.Cols != res.W.Rows {
					t.Errorf("cancelled after %d asks: %d and %d factors of error %v", part*asks/10, res.V.Cols, res.W.Rows, res.RelativeError)
				}
			}
		})
	}
	t.Run("steps of a sparse matrix", func(t *testing.T) {
		res, err := Factor(newCountdown(1000), sparse, 4, GNMU{Lagrangian{StepsPerUpdate: forever}}, &Settings{Restarts: 1})
		if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
			t.Errorf("%+v, %v", res, err)
		}
	})
	t.Run("transform", func(t *testing.T) {
		v := data[float64](60, 8, 5)
		for _, s := range []*TransformSettings{nil, {Feasible: true}} {
			ctx := newCountdown(forever)
			if _, err := transformOf(ctx, v, m, s); err != nil {
				t.Fatal(err)
			}
			asks := ctx.asked.Load()
			if asks < 50 {
				t.Errorf("%+v: asked %d times", s, asks)
			}
			whole, err := transformOf(t.Context(), v, m, s)
			if err != nil {
				t.Fatal(err)
			}
			for part := range int64(10) {
				res, err := transformOf(newCountdown(part*asks/10), v, m, s)
				if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
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
	m := data[float64](30, 20, 1)
	for _, way := range []Feasible{FeasibleFinal, FeasibleEach} {
		for _, block := range []int{0, 1} {
			method := underapproximation(block, Lagrangian{Feasible: way})
			res, err := Factor(t.Context(), m, 4, method, &Settings{Restarts: 1, TimeLimit: time.Nanosecond})
			if err != nil || res.Stop != StopTime {
				t.Fatalf("%s, feasible %s: %+v, %v", nameOf(method), way, res, err)
			}
			for _, b := range res.Blocks {
				if b.Exact != nil {
					t.Errorf("%s, feasible %s: %+v", nameOf(method), way, b)
				}
			}
			if way == FeasibleEach && block == 1 && res.V.Cols != 0 {
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
	if testing.Short() {
		teams = []int{2}
	}
	for _, threads := range teams {
		for _, large := range []bool{false, true} {
			m := data[float64](40, 30, 1) // restarts side by side
			if large {
				m = data[float64](900, 200, 1) // one after the other
			}
			for _, d := range Methods() {
				for _, last := range []int64{1, 7, 200} {
					var calls atomic.Int64
					call := func() {
						if calls.Add(1) == last {
							panic(mark{"call"})
						}
					}
					s := Settings{Restarts: 9, Iterations: 30, Threads: threads}
					inEach := s
					inEach.Iterated = func(int) { call() }
					byStep := Lagrangian{StepLength: func(k int) float64 { call(); return 1 / float64(k) }}
					try := func(where string, method Method, s Settings) {
						calls.Store(0)
						if got := panicOf(func() { Factor(t.Context(), m, 3, method, &s) }); got != (mark{"call"}) {
							t.Errorf("%s, %d threads, large %v, %s %d: Factor panicked with %v", d.Name, threads, large, where, last, got)
						}
					}
					try("iteration", typical(d), inEach)
					if d.Recursive {
						try("step length", underapproximation(1, byStep), s)
					} else if d.Underapproximates {
						try("step length", underapproximation(0, byStep), s)
					}
				}
			}
		}
	}
	m := data[float64](40, 30, 1)
	got := panicOf(func() {
		Factor(t.Context(), m, 3, RNMU{}, &Settings{Restarts: 5000, Threads: 2, Progress: func(Progress) { panic(mark{"progress"}) }})
	})
	if got != (mark{"progress"}) {
		t.Errorf("Factor panicked with %v", got)
	}
}

// panicOf returns what f panics with, nil if it does not.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}
