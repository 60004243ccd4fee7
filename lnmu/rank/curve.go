package rank

import (
	"context"
	"time"

	"nmu/lnmu"
	"nmu/lnmu/internal/several"
)

// Curve compares ranks for the factorization of a nonnegative matrix M by a method, RNMU{} if
// it is nil. It measures the error at entries that the factorization did not see, how far runs
// from different starts agree, and the training error. For lnmu.KL the error is the divergence.
// The weights of an lnmu.Observed count in the runs and in all errors.
//
// The observed entries are assigned at random to Settings.Folds folds. For each fold and rank
// there is one run without the entries of the fold, and there are Settings.Restarts runs of all
// observed entries. A recursion needs one run for all ranks, because its first r factors are
// the answer for rank r. Then the work is Folds + Restarts runs at the largest rank, and O(mnr)
// operations for the errors of each.
//
// The result depends only on M, the ranks, the method and the settings: not on the processor,
// the number of threads, or which runs are concurrent. Curve needs a byte for each entry, and a
// copy of M unless M is an lnmu.Dense. Each run needs the memory of lnmu.Factor.
//
// Errors wrap lnmu.ErrShape, lnmu.ErrOption or lnmu.ErrValue. If ctx is cancelled, Curve
// returns the finished part of the result and the cause. After TimeLimit it returns the
// finished part without an error.
func Curve[T lnmu.Float](ctx context.Context, m lnmu.Matrix[T], ranks []int, method lnmu.Method, settings *Settings) (*Result, error) {
	begun := time.Now()
	if ctx == nil {
		return nil, several.Bad("the context is nil; pass context.Background()")
	}
	o, ranks, method, s, err := withDefaults(m, ranks, method, settings)
	if err != nil {
		return nil, err
	}
	var observed func(i, j int) bool
	if o.Mask != nil {
		observed = o.Mask.Observed
	}
	d, err := several.Dense(o.Matrix)
	if err != nil {
		return nil, err
	}
	_, byDivergence := method.(lnmu.KL)
	j := &job[T]{
		divergence: byDivergence,
		Settings:   s, m: d, mask: o.Mask, weights: o.Weights, ranks: ranks, method: method, prefixes: prefixes(method),
		runs:  several.Runs{Begun: begun},
		parts: speckle(d.Rows, d.Cols, s.Folds, s.Seed, observed),
	}
	if s.Report != nil {
		j.runs.Report = func(p several.Progress) { s.Report(Progress(p)) }
	}
	if o.Weights != nil {
		j.parts.weigh(o.Weights)
	}
	for f, held := range j.parts.held {
		if held == 0 && s.Folds > 1 {
			return nil, several.Bad("fold %d of %d would hold out nothing of %d observed entries; choose fewer folds, 1 for none", f+1, s.Folds, j.parts.observed)
		}
	}
	return j.run(ctx)
}
