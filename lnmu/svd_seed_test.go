package lnmu_test

import (
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/start"
)

// TestStartsWithoutSeed: singular vectors and pure columns are the same for every seed, of a dense
// matrix and of a sparse one. If M has a smaller rank than r, the factors beyond the singular
// vectors depend on the seed, those beyond the pure columns do not.
func TestStartsWithoutSeed(t *testing.T) {
	same := func(m lnmu.Matrix[float64], init lnmu.Choice, method lnmu.Method) bool {
		var results [2]*lnmu.Result[float64]
		for k, seed := range []uint64{0, 7} {
			results[k] = must.Get(lnmu.Factor(t.Context(), m, 4, method, &lnmu.Settings{Start: lnmu.Start{Init: init, Restarts: 1, Seed: seed}, Limits: lnmu.Limits{Iterations: 2}}))(t)
		}
		return lnmutest.SameBits(results[0], results[1])
	}
	methods := []lnmu.Method{lnmu.NMF{}, lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{}}
	dense, entries := lnmutest.Data[float64](30, 23, 9), lnmutest.SparseData[float64](30, 23, 9)
	for _, init := range []lnmu.Choice{lnmu.InitSVD, lnmu.InitSPA, lnmu.InitSNPA} {
		for _, method := range methods {
			if !same(dense, init, method) || !same(entries, init, method) {
				t.Errorf("%T: the start %s depends on the seed", method, init)
			}
		}
	}
	if same(dense, lnmu.InitRandom, lnmu.NMF{}) {
		t.Error("random starts of two seeds are the same")
	}
	drawn := core.Plan{Rank: 4, SPA: true}
	v, _ := start.Of(lnmu.Dense[float64]{}, lnmu.Dense[float64]{}, 30, 23, drawn, 7, core.Part{Whole: 30}.Window(30, 23))
	want, _ := lnmutest.RandomStart[float64](30, 23, 4, 0)
	must.EqualSlices(t, v.Data, want.Data, "factors beyond the pure columns")
	low := planted(30, 23, 2, 3)
	if same(low, lnmu.InitSVD, lnmu.NMF{}) {
		t.Error("two of four factors of a matrix of rank 2 do not depend on the seed by svd")
	}
	for _, init := range []lnmu.Choice{lnmu.InitSPA, lnmu.InitSNPA} {
		for _, method := range methods {
			if !same(low, init, method) || !same(lnmu.NewCSR(low), init, method) {
				t.Errorf("%T, %s: factors of a matrix of rank 2 depend on the seed", method, init)
			}
		}
	}
}
