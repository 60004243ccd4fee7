package lnmu_test

import (
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestStartsWithoutSeed: singular vectors and pure columns are the same for every seed, of a dense
// matrix and of a sparse one. If M has a smaller rank than r, the factors beyond the singular
// vectors depend on the seed, those beyond the pure columns do not.
func TestStartsWithoutSeed(t *testing.T) {
	same := func(m lnmu.Matrix[float64], init lnmu.Init) bool {
		var results [2]*lnmu.Result[float64]
		for k, seed := range []uint64{0, 7} {
			res := must.Get(lnmu.Factor(t.Context(), m, 4, lnmu.NMF{}, &lnmu.Settings{Init: init, Restarts: 1, Iterations: 2, Seed: seed}))(t)
			results[k] = res
		}
		return lnmutest.SameBits(results[0], results[1])
	}
	dense, entries := lnmutest.Data[float64](30, 23, 9), lnmutest.SparseData[float64](30, 23, 9)
	for _, init := range []lnmu.Init{lnmu.InitSVD, lnmu.InitSPA, lnmu.InitSNPA} {
		if !same(dense, init) || !same(entries, init) {
			t.Errorf("the start %s depends on the seed", init)
		}
	}
	if same(dense, lnmu.InitRandom) {
		t.Error("random starts of two seeds are the same")
	}
	low := planted(30, 23, 2, 3)
	for init, want := range map[lnmu.Init]bool{lnmu.InitSVD: false, lnmu.InitSPA: true, lnmu.InitSNPA: true} {
		if same(low, init) != want {
			t.Errorf("%s: two of four factors of a matrix of rank 2 depend on the seed: %v", init, want)
		}
	}
}
