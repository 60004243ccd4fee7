package work

import (
	"math"
	"testing"

	"nmu/internal/data"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestDefaultsOnceGapsAreKnown: a plan gets the defaults of a matrix with missing entries once the
// matrix has been read, however often defaults were filled in before, and keeps its checkpoints.
func TestDefaultsOnceGapsAreKnown(t *testing.T) {
	x := &Task[float64]{Plan: Plan{Rank: 1, Method: lnmu.NMF{}, Selection: data.Selection{Observed: data.Observed{Gaps: true}}, Settings: lnmu.Settings{Record: true}}}
	for range 2 {
		must.Do(t, x.settle(3, 2))
	}
	defaults := func(when string, solver lnmu.Choice) {
		p := x.Plan
		if m := p.Method.(lnmu.NMF); m.Solver != lnmu.SolverAccelerated || p.Settings.Iterations != 500 || p.Settings.MissingSolver != solver {
			t.Errorf("%s: solver %s, %d iterations, missing solver %q", when, m.Solver, p.Settings.Iterations, p.Settings.MissingSolver)
		}
	}
	defaults("before", "")
	x.Plan.Settings.Checkpoint = &lnmu.Checkpoint{}
	must.Do(t, x.observing(lnmu.MaskOf[float64](lnmu.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6}))))
	defaults("after", lnmu.MissingMajorize)
	if x.Plan.Settings.Checkpoint == nil {
		t.Error("the checkpoints are lost")
	}
}
