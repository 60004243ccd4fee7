package lnmu_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestProgress checks what the callback is told.
func TestProgress(t *testing.T) {
	m := lnmutest.Data[float64](60, 30, 6)
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		_, err := lnmu.Factor(t.Context(), m, 5, lnmu.GNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 2}, Threads: 2, Limits: lnmu.Limits{Iterations: 150}, Watch: lnmu.Watch{Iterated: func(int) {
			time.Sleep(2 * time.Millisecond) // longer than the interval in all
		}, Progress: func(p lnmu.Progress) {
			calls++
			if p.Restarts != 2 || p.Restart < 1 || p.Restart > 2 || p.Rank != 5 || p.Iteration < 1 || p.Iteration > 150 ||
				!(p.RelativeError > 0 && p.RelativeError < 1) || p.Elapsed <= 0 || p.Remaining < 0 {
				t.Errorf("%+v", p)
			}
		}}})
		if err != nil || calls == 0 {
			t.Errorf("%d calls, %v", calls, err)
		}
	})
}

// TestProgressOfKL: the relative error that Progress tells is the one of the result, a norm, and not
// the relative divergence. The run has one thread: others would spin, so that the clock of the test stood still.
func TestProgressOfKL(t *testing.T) {
	m := counts[float64](150, 80, 4, 2)
	for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m), "stored": &lnmutest.LinesOf[float64]{Dense: m}} {
		var told float64
		var res *lnmu.Result[float64]
		var err error
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			res, err = lnmu.Factor(ctx, x, 4, lnmu.KL{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Threads: 1, Limits: lnmu.Limits{Iterations: 1e6}, Watch: lnmu.Watch{Iterated: func(int) { time.Sleep(20 * time.Millisecond) }, Progress: func(p lnmu.Progress) {
				if told = p.RelativeError; p.Iteration > 100 { // a few more end the run, and change little
					cancel()
				}
			}}})
		})
		if err == nil || !(math.Abs(told-res.RelativeError) <= 0.01*res.RelativeError) || math.Abs(res.RelativeDivergence-res.RelativeError) < 0.1*res.RelativeError {
			t.Errorf("%s: relative error %v of the progress, %v and divergence %v of the result, error %v", name, told, res.RelativeError, res.RelativeDivergence, err)
		}
	}
}
