package regime

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// heldStep returns a HALS step that keeps the first column of V.
func heldStep(n problem, v, w matrix) {
	descend(n, v, w, 0, 0, 1, func(k int, ofV bool) bool { return ofV && k == 0 })
}

// TestHeldRivals compares methods other than nmf that keep a given first column of V with literal
// forms that keep it: the column has its bits, and no loss is more than 1 % larger.
func TestHeldRivals(t *testing.T) {
	admm := lnmu.Lagrangian{Solver: lnmu.SolverADMM, ResidualTolerance: 1e-300}
	for _, r := range []rival{
		{"gnmu", lnmu.GNMU{}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			underapproximate(p, v, w, iterations, heldStep)
		}, squared},
		{"gnmu from violations", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{Multipliers: lnmu.MultipliersStart}}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			underapproximateBy(p, v, w, iterations, multipliers{violated: true}, heldStep)
		}, squared},
		{"gnmu with one multiplier for all zeros", lnmu.GNMU{Lagrangian: lnmu.Lagrangian{ZeroMultiplier: zeroMultiplier}}, []string{"sparse"}, func(p problem, v, w matrix, iterations int) {
			underapproximateBy(p, v, w, iterations, multipliers{zeros: zeroMultiplier}, heldStep)
		}, squared},
		{"gnmu admm", lnmu.GNMU{Lagrangian: admm}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			augmented(p, v, w, iterations, innerOf(v.Cols), heldStep)
		}, squared},
		{"rnmu", lnmu.RNMU{}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			left := problem{clone(p.m), p.weights, p.name}
			first, with := matrixOf(column(v, 0)), transposed(matrixOf(w.Row(0)))
			underapproximate(left, first, with, iterations, heldStep)
			x := product(first, with)
			for i, a := range x.Data {
				left.m.Data[i] = max(0, left.m.Data[i]-a)
			}
			copy(w.Row(0), with.Data)
			if v.Cols == 1 {
				return
			}
			otherV, otherW := lnmu.NewDense[float64](v.Rows, v.Cols-1, nil), lnmu.NewDense[float64](v.Cols-1, w.Cols, nil)
			for k := range v.Cols - 1 {
				setColumn(otherV, k, column(v, k+1))
				copy(otherW.Row(k), w.Row(k+1))
			}
			recursion(left, otherV, otherW, 1, iterations, func() func(n problem, v, w matrix) { return halsStep })
			for k := range v.Cols - 1 {
				setColumn(v, k+1, column(otherV, k))
				copy(w.Row(k+1), otherW.Row(k))
			}
		}, squared},
		{"kl", lnmu.KL{}, []string{"dense", "sparse"}, heldMultiply, problem.divergence},
		{"kl coordinate", lnmu.KL{Solver: lnmu.SolverCoordinate}, []string{"dense", "sparse"}, heldMultiply, problem.divergence},
	} {
		for _, kind := range r.kinds {
			for _, whole := range []problem{planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2)} {
				for _, rank := range []int{1, 3} {
					for _, iterations := range []int{1, 40} {
						if iterations == 1 && r.name[:2] == "kl" { // which takes other steps at first
							continue
						}
						p := whole.with(kind)
						s := scene{p: p, rank: rank, scale: 1, start: "good"}
						v, w := s.factors()
						known := drawn(p.m.Rows, 1, rand.New(rand.NewPCG(7, 7)))
						setColumn(v, 0, column(known, 0))
						settings := &lnmu.Settings{Iterations: iterations, Threads: 1, Fixed: lnmu.Fixed{V: known}}
						res := must.Get(lnmu.FactorFrom(t.Context(), given[float64](p, kind), v, w, r.method, settings))(t)
						for i, a := range known.Data {
							if res.V.At(i, 0) != a {
								t.Errorf("%s, %s, rank %d: V[%d,0] has changed", r.name, p.name, rank, i)
							}
						}
						r.run(p, v, w, iterations)
						got, want := r.loss(p, res.V, res.W), r.loss(p, v, w)
						if !(math.Sqrt(got) <= 1.01*math.Sqrt(want)+1e-9) {
							t.Errorf("%s, %s, rank %d, %d iterations: loss %v, literally %v", r.name, p.name, rank, iterations, got, want)
						}
					}
				}
			}
		}
	}
}

// matrixOf returns a column.
func matrixOf(x []float64) matrix { return lnmu.NewDense(len(x), 1, append([]float64(nil), x...)) }

// heldMultiply makes multiplicative updates of all but the first column of V.
func heldMultiply(p problem, v, w matrix, iterations int) {
	known := column(v, 0)
	for range iterations {
		multiplySide(p.m, p.weights, v, w, elastic{})
		setColumn(v, 0, known)
		wt := transposed(w)
		multiplySide(transposed(p.m), transposed(p.weights), wt, transposed(v), elastic{})
		copy(w.Data, transposed(wt).Data)
	}
}
