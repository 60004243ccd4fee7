package work

import (
	"math"
	"testing"

	"nmu/internal/data"
	"nmu/lnmu"
)

// TestDefaultsOnceGapsAreKnown: a plan gets the defaults of a matrix with missing entries once the
// matrix has been read, however often defaults were filled in before, and keeps its checkpoints.
func TestDefaultsOnceGapsAreKnown(t *testing.T) {
	var from Start[float64]
	p := Plan{Rank: 1, Method: lnmu.NMF{}, Observed: data.Observed{Gaps: true}, Settings: lnmu.Settings{Record: true}}
	for range 2 {
		var err error
		if p, err = from.WithDefaults(p, 3, 2); err != nil {
			t.Fatal(err)
		}
	}
	if m := p.Method.(lnmu.NMF); m.Solver != lnmu.SolverAccelerated || p.Settings.Iterations != 100 || p.Settings.MissingSolver != "" {
		t.Errorf("before: solver %s, %d iterations", m.Solver, p.Settings.Iterations)
	}
	p.Settings.Checkpoint = &lnmu.Checkpoint{}
	p, err := from.observing(p, lnmu.MaskOf[float64](lnmu.NewDense(3, 2, []float64{1, 2, 3, math.NaN(), 5, 6})), nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := p.Method.(lnmu.NMF); m.Solver != lnmu.SolverAccelerated || p.Settings.Iterations != 100 || p.Settings.MissingSolver != lnmu.MissingMajorize {
		t.Errorf("solver %s, %d iterations, missing solver %q", m.Solver, p.Settings.Iterations, p.Settings.MissingSolver)
	}
	if p.Settings.Checkpoint == nil {
		t.Error("the checkpoints are lost")
	}
}
