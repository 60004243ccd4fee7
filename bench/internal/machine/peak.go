package machine

import (
	"context"
	"slices"
	"time"

	"nmu/bench/internal/stat"
)

// PeakRate measures the rate of multiply-adds at every level of opts and returns the
// highest, in 1e9 operations per second.
func PeakRate(ctx context.Context, o Options, t Type, threads int) (best float64, err error) {
	for _, l := range availableLoops() {
		if !slices.Contains(o.Levels, l.level) {
			continue
		}
		rate, err := l.peak(ctx, o, t, threads)
		if err != nil {
			return 0, err
		}
		best = max(best, rate.Median)
	}
	return best, nil
}

// ReadRate measures the bandwidth of reading a working set at every level of opts and
// returns the highest, in 1e9 bytes per second.
func ReadRate(ctx context.Context, o Options, bytes, threads int) (best float64, err error) {
	return bestRate(ctx, o, Read, bytes, threads)
}

// CopyRate is ReadRate for copying within the working set. It counts the bytes loaded and stored.
func CopyRate(ctx context.Context, o Options, bytes, threads int) (best float64, err error) {
	return bestRate(ctx, o, Copy, bytes, threads)
}

// bestRate returns the highest bandwidth of an operation at the levels of opts.
func bestRate(ctx context.Context, o Options, op Op, bytes, threads int) (best float64, err error) {
	found, err := MeasureBandwidth(ctx, o, op, bytes, threads)
	if err != nil {
		return 0, err
	}
	for _, b := range found {
		best = max(best, b.Rate.Median)
	}
	return best, nil
}

// peak measures the rate of multiply-adds.
func (l *loops) peak(ctx context.Context, o Options, t Type, threads int) (stat.Stat, error) {
	accs := l.accs64
	if t == Float32 {
		accs = l.accs32
	}
	return o.Rate(ctx, func(n int) (time.Duration, float64) {
		d := parallel(threads, func(int) {
			// Small factors: the sums stay normal numbers, for any number of rounds.
			if t == Float64 {
				acc := make([]float64, accs)
				for range n {
					l.fma64(&acc[0], 0.5, 0.001, callRounds)
				}
			} else {
				acc := make([]float32, accs)
				for range n {
					l.fma32(&acc[0], 0.5, 0.001, callRounds)
				}
			}
		})
		return d, 2 * float64(n) * float64(threads) * float64(accs) * callRounds
	})
}
