// Package machine measures the limits of this machine: the rate of multiply-adds, and the
// bandwidth of every part of the memory.
package machine

import (
	"context"
	"fmt"
	"slices"

	"nmu/internal/isa"
)

// Measure measures multiply-adds per second for every level, precision and number of
// threads, and the read and copy bandwidth of working sets in each part of the memory. It
// takes some seconds. The results are meaningful only on an otherwise idle machine. The error
// is the error of ctx, or wraps ErrOption.
func Measure(ctx context.Context, opts Options) (Limits, error) {
	o, err := opts.WithDefaults()
	if err != nil {
		return Limits{}, err
	}
	lim := Limits{CPU: isa.CPU()}
	for _, threads := range ThreadCounts(o.Threads) {
		for _, l := range availableLoops() {
			if !slices.Contains(o.Levels, l.level) {
				continue
			}
			for _, t := range []Type{Float64, Float32} {
				o.Progress(fmt.Sprintf("multiply-adds %v %s, threads %d", l.level, t, threads))
				rate, err := l.peak(ctx, o, t, threads)
				if err != nil {
					return Limits{}, err
				}
				lim.Peaks = append(lim.Peaks, Peak{l.level.String(), t, threads, rate})
			}
		}
		for _, set := range []Set{L1, L2, L3, Memory} {
			bytes := WorkingSet(set, lim.CPU, threads, o.Memory)
			if bytes == 0 {
				continue // the machine has no such part
			}
			for _, op := range []Op{Read, Copy} {
				o.Progress(fmt.Sprintf("%s %s, threads %d", op, set, threads))
				bws, err := measureBandwidth(ctx, o, op, bytes, threads)
				if err != nil {
					return Limits{}, err
				}
				for i := range bws {
					bws[i].Set = set
				}
				lim.Bandwidths = append(lim.Bandwidths, bws...)
			}
		}
	}
	return lim, nil
}
