package lnmu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"nmu/internal/leak"
	"nmu/internal/team"
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
		name string
		opt  Options[float64]
		asks int64 // at least
	}{
		{"inner steps of gnmu", Options[float64]{Method: GNMU, Rank: 4, Inner: forever}, forever},
		{"inner steps of rnmu", Options[float64]{Rank: 4, Inner: forever}, forever},
		{"inner steps of rnmu, l1", Options[float64]{Rank: 4, Norm: L1, Inner: forever}, forever},
		{"rows and columns of l1", Options[float64]{Rank: 1, Norm: L1, Inner: 1, Iterations: 1}, 60 + 50/8},
		{"start svd", Options[float64]{Method: NMF, Rank: 45, Init: InitSVD, Iterations: 1}, 40},
		{"rows of feasible final", Options[float64]{Method: GNMU, Rank: 12, Iterations: 2, Feasible: FeasibleFinal, FeasibleSteps: 3}, 2 * (60 + 50)},
		{"rows of feasible each", Options[float64]{Rank: 12, Block: 6, Iterations: 2, Feasible: FeasibleEach}, 2 * (60 + 50)},
		{"steps of hoyer", Options[float64]{Method: Hoyer, Rank: 4, HoyerV: 0.9, HoyerW: 0.9, Iterations: 50}, 150},
	} {
		c.opt.Restarts = 1
		t.Run(c.name, func(t *testing.T) {
			asks := int64(1000)
			if c.asks != forever {
				ctx := newCountdown(forever)
				if _, err := Factor(ctx, m, c.opt); err != nil {
					t.Fatal(err)
				}
				if asks = ctx.asked.Load(); asks < c.asks {
					t.Errorf("asked %d times whether it is over, want at least %d", asks, c.asks)
				}
			}
			for part := range int64(10) {
				ctx := newCountdown(part * asks / 10)
				res, err := Factor(ctx, m, c.opt)
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
	t.Run("inner steps of a sparse matrix", func(t *testing.T) {
		res, err := FactorSparse(newCountdown(1000), sparse, Options[float64]{Method: GNMU, Rank: 4, Restarts: 1, Inner: forever})
		if !errors.Is(err, context.Canceled) || res == nil || res.Stop != StopCancelled {
			t.Errorf("%+v, %v", res, err)
		}
	})
	t.Run("error of a sparse matrix", func(t *testing.T) {
		e := measurement[float64]{m: sparse, Team: team.New(1)}
		asked := 0
		if _, _, done := e.everywhere(func() bool { asked++; return true }); done || asked == 0 {
			t.Errorf("asked %d times; done: %v", asked, done)
		}
	})
	t.Run("transform", func(t *testing.T) {
		v := data[float64](60, 8, 5)
		for _, under := range []bool{false, true} {
			ctx := newCountdown(forever)
			if _, err := Transform(ctx, v, m, TransformOptions[float64]{Under: under}); err != nil {
				t.Fatal(err)
			}
			asks := ctx.asked.Load()
			if asks < 50 {
				t.Errorf("under %v: asked %d times", under, asks)
			}
			for part := range int64(10) {
				if _, err := Transform(newCountdown(part*asks/10), v, m, TransformOptions[float64]{Under: under}); !errors.Is(err, context.Canceled) {
					t.Errorf("under %v, cancelled after %d asks: %v", under, part*asks/10, err)
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
		for _, method := range []Method{GNMU, RNMU} {
			res, err := Factor(t.Context(), m, Options[float64]{Method: method, Rank: 4, Restarts: 1, Feasible: way, TimeLimit: time.Nanosecond})
			if err != nil || res.Stop != StopTime || res.Feasible != nil {
				t.Errorf("%s, feasible %s: %+v, %v", method, way, res, err)
			}
			if way == FeasibleEach && method == RNMU && res.V.Cols != 0 {
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
	for _, threads := range []int{1, 2, 4} {
		for _, large := range []bool{false, true} {
			m := data[float64](40, 30, 1) // restarts side by side
			if large {
				m = data[float64](900, 200, 1) // one after the other
			}
			for _, method := range []Method{NMF, GNMU, RNMU} {
				for _, last := range []int64{1, 7, 200} {
					var calls atomic.Int64
					opt := Options[float64]{Method: method, Rank: 3, Restarts: 9, Iterations: 30, Threads: threads, Step: func(k int) float64 {
						if calls.Add(1) == last {
							panic(mark{"step"})
						}
						return 1 / float64(k)
					}}
					name := fmt.Sprintf("%s, %d threads, large %v, call %d", method, threads, large, last)
					if got := panicOf(func() { Factor(t.Context(), m, opt) }); got != (mark{"step"}) {
						t.Errorf("%s: Factor panicked with %v", name, got)
					}
				}
			}
		}
	}
	m := data[float64](40, 30, 1)
	got := panicOf(func() {
		Factor(t.Context(), m, Options[float64]{Rank: 3, Restarts: 5000, Threads: 2, Progress: func(Progress) { panic(mark{"progress"}) }})
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
