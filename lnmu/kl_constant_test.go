package lnmu_test

import (
	"math"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestDivergenceOfConstant: the mean of a constant matrix leaves no deviance. Its relative divergence
// is then D over the sum of M, and no quotient of rounding errors.
func TestDivergenceOfConstant(t *testing.T) {
	for _, solver := range []lnmu.Choice{lnmu.SolverMultiplicative, lnmu.SolverCoordinate} {
		t.Run("float64, "+string(solver), func(t *testing.T) { testDivergenceOfConstant[float64](t, lnmu.KL{Solver: solver}, 1e-6) })
		t.Run("float32, "+string(solver), func(t *testing.T) { testDivergenceOfConstant[float32](t, lnmu.KL{Solver: solver}, 1e-5) })
	}
}

func testDivergenceOfConstant[T lnmu.Float](t *testing.T, method lnmu.KL, within float64) {
	for _, value := range []float64{1, 0.1, 7e9, 3e-9} {
		for _, shape := range [][2]int{{30, 20}, {7, 300}} {
			m := lnmu.NewDense[T](shape[0], shape[1], nil)
			for i := range m.Data {
				m.Data[i] = T(value)
			}
			for name, x := range map[string]lnmu.Matrix[T]{"dense": m, "sparse": lnmu.NewCSR(m)} {
				res := must.Get(lnmu.Factor(t.Context(), x, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 40}}))(t)
				d := literal.Complete(m).Divergence(literal.As[float64](res.V), literal.As[float64](res.W)) / (value * float64(len(m.Data)))
				must.AtMost(t, math.Abs(res.RelativeDivergence-d), within, name, "of", value, "relative divergence")
				found, err := lnmu.Transform(t.Context(), x, res.V, lnmu.Dense[T]{}, &lnmu.TransformSettings{Divergence: true})
				if err != nil || !(found.RelativeDivergence <= within) {
					t.Errorf("%s of %v: relative divergence %v of Transform, error %v", name, value, found.RelativeDivergence, err)
				}
			}
		}
	}
}
