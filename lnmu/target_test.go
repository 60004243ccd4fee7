package lnmu_test

import (
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestTargetAtOnce checks that a solver that knows its error ends at the first iteration that
// reaches the target, and the others at a check.
func TestTargetAtOnce(t *testing.T) {
	ptr, idx, val := dataset.Sparse[float64](60, 40, 700, 3)
	sparse := lnmu.CSR[float64]{Rows: 60, Cols: 40, Ptr: ptr, Idx: idx, Val: val}
	for _, m := range []lnmu.Matrix[float64]{sparse, sparse.Dense()} {
		for _, c := range []struct {
			method lnmu.Method
			atOnce bool
		}{
			{lnmu.NMF{Solver: lnmu.SolverAccelerated}, true},
			{lnmu.KL{}, true},
			{lnmu.NMF{Solver: lnmu.SolverHALS}, false},
		} {
			name := lnmutest.NameOf(c.method)
			settings := lnmu.Settings{Limits: lnmu.Limits{Iterations: 40, CheckEvery: 1}, Start: lnmu.Start{Restarts: 1}}
			settings.Record = true
			all := must.Get(lnmu.Factor(t.Context(), m, 4, c.method, &settings))(t)
			const reached = 13 // the iteration after which the error is the target
			errors := all.Blocks[0].History
			target := errors[reached-1]
			first := 0
			for errors[first] > target {
				first++
			}
			first++ // from an index to a number of iterations
			settings = lnmu.Settings{Limits: lnmu.Limits{Iterations: 40, CheckEvery: 10, TargetError: target}, Start: lnmu.Start{Restarts: 1}}
			got := must.Get(lnmu.Factor(t.Context(), m, 4, c.method, &settings))(t)
			want := first
			if !c.atOnce {
				want = (first + 9) / 10 * 10
			}
			if got.Stop != outcome.StopTarget || got.Blocks[0].IterationsDone != want {
				t.Errorf("%s: ended after %d iterations by %q, want %d by %q", name, got.Blocks[0].IterationsDone, got.Stop, want, outcome.StopTarget)
			}
		}
	}
}
