package lnmu_test

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestCollections collects garbage during a long factorization, at every level.
// What keeps the world from being stopped is a call of assembly, whose work is
// bounded (TestWorkOfACall of package kernel); here the delays are measured and
// logged, and every collection must come to its end while the work goes on.
func TestCollections(t *testing.T) {
	m := lnmutest.Data[float64](600, 500, 12)
	wall := 30 * time.Millisecond
	if os.Getenv("NMU_FULL") != "" {
		wall = 500 * time.Millisecond
	}
	for _, level := range isa.Available() {
		restore := isa.Set(level)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() {
			_, err := lnmu.Factor(ctx, m, 20, lnmu.GNMU{}, &lnmu.Settings{Threads: 2, Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 1 << 30}})
			done <- err
		}()
		before := pauses()
		var longest time.Duration
		collections := 0
		for begun := time.Now(); time.Since(begun) < wall || collections == 0; collections++ {
			at := time.Now()
			runtime.GC()
			longest = max(longest, time.Since(at))
		}
		select {
		case err := <-done:
			t.Errorf("%v: the factorization ended by itself: %v", level, err)
			done = nil
		default:
		}
		cancel()
		if done != nil {
			must.Fail(t, <-done, context.Canceled, "", level)
		}
		t.Logf("%v: %d collections, the longest took %v and stopped the world for at most %v",
			level, collections, longest, longestPause(before, pauses()))
		restore()
	}
}

// pauses returns how many pauses there were for garbage collection, by length.
func pauses() *metrics.Float64Histogram {
	s := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64Histogram()
}

// longestPause returns an upper bound of the pauses between two readings.
func longestPause(before, after *metrics.Float64Histogram) time.Duration {
	for i := len(after.Counts) - 1; i >= 0; i-- {
		if after.Counts[i] > before.Counts[i] {
			return time.Duration(after.Buckets[i+1] * float64(time.Second))
		}
	}
	return 0
}
