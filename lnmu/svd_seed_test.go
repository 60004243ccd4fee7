package lnmu_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestStartsWithoutSeed: singular vectors and pure columns are the same for every seed, of a dense
// matrix and of a sparse one. Only if M has a smaller rank than r do the factors beyond the singular
// vectors depend on the seed.
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
	var low mat.Dense
	v, w := lnmutest.RandomStart[float64](30, 23, 2, 3)
	low.Mul(gonum.To(v), gonum.To(w))
	if same(gonum.From[float64](&low), lnmu.InitSVD) {
		t.Error("two of four factors of a matrix of rank 2 do not depend on the seed")
	}
}
