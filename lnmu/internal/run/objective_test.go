package run

import (
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/outcome"
)

// TestBestOfZero: the number that the method minimises decides between restarts, also where it is
// 0, and a result that is not a number is the worst.
func TestBestOfZero(t *testing.T) {
	perfect := &Result{Report: outcome.Report{RelativeError: 1e-8, BestRestart: 2}}
	other := &Result{Report: outcome.Report{RelativeError: 1e-9, RelativeDivergence: 1e-16, RelativeL1: 1e-12, BestRestart: 1}}
	wrong := &Result{Report: outcome.Report{RelativeError: math.NaN(), RelativeDivergence: math.NaN(), RelativeL1: math.NaN(), BestRestart: 3}}
	for _, c := range []struct {
		plan core.Plan
		best *Result
	}{{core.Plan{Divergence: true}, perfect}, {core.Plan{L1: true}, perfect}, {core.Plan{}, other}} {
		m := Method{Plan: c.plan}
		best := wrong
		for _, r := range []*Result{perfect, other, wrong} {
			if r.compare(best, m.objective) < 0 {
				best = r
			}
		}
		must.Equal(t, best, c.best, "divergence", c.plan.Divergence, "l1", c.plan.L1, "the best is restart", best.BestRestart)
	}
}
