package lnmu_test

import (
	"fmt"
	"math"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// BenchmarkMissing is the table of docs/missing.md: one run on a 500 x 400 matrix of
// rank 5 without noise, and the errors that are left on what is observed and on what is
// missing.
func BenchmarkMissing(b *testing.B) {
	m := planted(500, 400, 5, 100)
	for _, part := range []float64{0, 0.01, 0.1, 0.3, 0.6} {
		for _, method := range []lnmu.NMF{{Solver: lnmu.SolverHALS}, {Solver: lnmu.SolverAccelerated}} {
			for _, solver := range incompleteSolvers() {
				if part == 0 && solver == lnmu.MissingExact {
					continue
				}
				k := lnmutest.Gaps(500, 400, part, 1)
				b.Run(fmt.Sprintf("%v/%s/%s", part, method.Solver, solver), func(b *testing.B) {
					var res *lnmu.Result[float64]
					for b.Loop() {
						var err error
						if res, err = lnmu.Factor[float64](b.Context(), lnmu.Observed[float64]{Matrix: m, Mask: k}, 5, method, &lnmu.Settings{MissingSolver: solver, Start: lnmu.Start{Restarts: 1}}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(res.RelativeError, "error")
					if e := heldOut(m, k, res.V, res.W); !math.IsNaN(e) {
						b.ReportMetric(e, "held-out")
					}
				})
			}
		}
	}
}
