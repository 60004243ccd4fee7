package lnmu_test

import (
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestAugmentedSwimmer: the exact answer, in a few iterations, where Algorithm L-NMU is
// far from it after 180.
func TestAugmentedSwimmer(t *testing.T) {
	m := swimmer[float64]()
	method := lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}}
	dense := must.Get(lnmu.Factor(t.Context(), m, 8, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: 1}}))(t)
	sparse := must.Get(lnmu.Factor(t.Context(), lnmu.NewCSR(m), 8, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: 1}}))(t)
	for name, res := range map[string]*lnmu.Result[float64]{"dense": dense, "sparse": sparse} {
		most := 0
		for _, b := range res.Blocks {
			most = max(most, b.IterationsDone)
		}
		if s := factors.RowSparsity(res.V.Transposed()).Zeros; res.Stop != outcome.StopResidual || most > 20 || abs(res.RelativeError-0.5095) > 1e-4 ||
			res.MaxViolation > 1e-5 || res.RelativeViolation > 1e-5 || s < 0.979 {
			t.Errorf("%s: error %v, violation %v, %v, s(V) %v, at most %d iterations, ended by %s",
				name, res.RelativeError, res.RelativeViolation, res.MaxViolation, s, most, res.Stop)
		}
	}
}

// TestAugmentedResidual: the iterations end by themselves, and the violation is at most
// the residual that they end at, since S >= 0 leaves it no more.
func TestAugmentedResidual(t *testing.T) {
	for _, m := range []lnmu.Dense[float64]{lnmutest.Data[float64](60, 45, 4), lnmutest.Data[float64](45, 60, 4)} {
		for _, rho := range []float64{1, 4, 16} {
			for _, tolerance := range []float64{1e-2, 1e-3} {
				method := lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: rho, ResidualTolerance: tolerance}
				res := must.Get(lnmu.Factor(t.Context(), m, 6, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 3000}}))(t)
				if res.Stop != outcome.StopResidual || res.RelativeViolation > tolerance || res.RelativeViolation > res.RelativeError {
					t.Errorf("ρ = %v: violation %v, error %v, ended by %s after %d", rho, res.RelativeViolation, res.RelativeError, res.Stop, res.Blocks[0].IterationsDone)
				}
			}
		}
	}
}

// TestAugmentedDefaults checks the default iterations and steps of solver admm.
func TestAugmentedDefaults(t *testing.T) {
	for _, c := range []struct{ block, iterations, steps int }{{0, 100, 4}, {1, 70, 1}, {2, 100, 4}} {
		method, s := must.Two(lnmu.Check(lnmu.Dense[float64]{Rows: 9, Cols: 7}, 3, lnmutest.Underapproximation(c.block, lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: 10}), nil))(t)
		if l := lagrangianOf(method); s.Iterations != c.iterations || l.Inner != c.steps {
			t.Errorf("blocks of %d: %d iterations, T = %d", c.block, s.Iterations, l.Inner)
		}
	}
}
