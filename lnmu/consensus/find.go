package consensus

import (
	"context"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/several"
)

// Find makes many runs for each rank and compares them: how far they find the same parts, what the
// parts have in common, and how far each entry of V and W can be trusted. The method is NMF{} if
// it is nil. M may be dense or a CSR; the weights and the mask of an lnmu.Observed count in all
// runs.
//
// Run q begins with the seed Settings.Seed + q·Restarts. By Settings.Resample the runs differ in
// their starts alone, or in M as well. Parts are matched by the Hungarian method. Their medians,
// without outliers, are the consensus parts, to which the weights are fitted again.
//
// The result depends only on M, the ranks, the method and the settings: not on the processor,
// the number of threads, or which runs are concurrent. Find keeps the factors of all runs for the
// ranks under way, and the points of the others.
//
// Errors wrap lnmu.ErrShape, lnmu.ErrOption, lnmu.ErrValue or lnmu.ErrCheckpoint. If ctx is
// cancelled, Find returns the finished part of the result and the cause. After TimeLimit it
// returns the finished part without an error.
func Find[T lnmu.Float](ctx context.Context, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	if ctx == nil {
		return nil, several.Bad("the context is nil; pass context.Background()")
	}
	o, ranks, method, s, err := withDefaults(m, ranks, method, settings)
	if err != nil {
		return nil, err
	}
	d, err := newData(o)
	if err != nil {
		return nil, err
	}
	if err := d.check(s.Resample); err != nil {
		return nil, err
	}
	j := &job[T]{Settings: s, data: d, ranks: ranks, method: method, runs: several.Runs{Begun: begun}}
	if s.Report != nil {
		j.runs.Report = func(p several.Progress) { s.Report(Progress(p)) }
	}
	j.rows, j.cols = d.dims()
	return j.run(ctx)
}
