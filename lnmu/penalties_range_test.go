package lnmu_test

import (
	"errors"
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestPenaltiesOutOfRange: penalties of one product lead to one V W, or are refused if their ratio makes
// V too large and W too small for the precision. Any penalties that leave nothing are noted.
func TestPenaltiesOutOfRange(t *testing.T) {
	precisions(t, func(t *testing.T) { testPenaltiesOutOfRange[float64](t, 144) },
		func(t *testing.T) { testPenaltiesOutOfRange[float32](t, 18) })
}

// decades is the largest ratio that is taken, as a power of ten.
func testPenaltiesOutOfRange[T lnmu.Float](t *testing.T, decades float64) {
	const product, most = 1e-2, 1e308
	m := lnmutest.SparseData[T](30, 20, 3).Dense()
	for name, method := range map[string]func(v, w float64) lnmu.Method{
		"snmf hals": func(v, w float64) lnmu.Method { return lnmu.SNMF{PenaltyV: v, PenaltyW: w, Solver: lnmu.SolverHALS} },
		"snmf accelerated": func(v, w float64) lnmu.Method {
			return lnmu.SNMF{PenaltyV: v, PenaltyW: w, Solver: lnmu.SolverAccelerated}
		},
		"kl multiplicative": func(v, w float64) lnmu.Method { return lnmu.KL{PenaltyV: v, PenaltyW: w} },
		"kl coordinate": func(v, w float64) lnmu.Method {
			return lnmu.KL{PenaltyV: v, PenaltyW: w, Solver: lnmu.SolverCoordinate}
		},
	} {
		run := func(v, w float64) (*lnmu.Result[T], error) {
			return lnmu.Factor(t.Context(), m, 1, method(v, w), &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 200}})
		}
		even := must.Get(run(math.Sqrt(product), math.Sqrt(product)))(t)
		for _, by := range []float64{-1.01, -0.99, -0.5, 0.5, 0.99, 1.01} {
			ratio := math.Pow(10, by*decades)
			res, err := run(math.Sqrt(product*ratio), math.Sqrt(product/ratio))
			switch {
			case math.Abs(by) > 1:
				if !errors.Is(err, lnmu.ErrOption) {
					t.Errorf("%s, penalties that differ by %.0e: %v", name, ratio, err)
				}
			case err != nil || !(math.Abs(res.RelativeError-even.RelativeError) <= 1e-3):
				t.Errorf("%s, penalties that differ by %.0e: result %v, relative error %v if they are equal; %v", name, ratio, res, even.RelativeError, err)
			}
		}
		if res, err := run(most, most); err != nil || res.RelativeError < 1-1e-6 || len(res.Notes) != 1 {
			t.Errorf("%s, penalties of %g: %v", name, most, err)
		}
	}
}
