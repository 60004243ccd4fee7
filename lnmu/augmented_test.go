package lnmu_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/method"
)

// literalADMM is the augmented Lagrangian as it is stated, with all its matrices. It
// changes v and w in place.
func literalADMM(m, v, w *mat.Dense, iterations, inner, sweeps int, penalty func(k int) float64) {
	rows, cols := m.Dims()
	s, g := mat.NewDense(rows, cols, nil), mat.NewDense(rows, cols, nil)
	var n, p mat.Dense
	last := penalty(1)
	for k := 1; k <= iterations; k++ {
		rho := penalty(k)
		g.Scale(last/rho, g) // scaled multipliers: ρ G stays
		last = rho
		n.Sub(m, s)
		n.Add(&n, g)
		for range inner {
			literalSwept(&n, v, w, sweeps)
		}
		p.Mul(v, w)
		for i := range rows {
			for j := range cols {
				y := m.At(i, j) - p.At(i, j) + g.At(i, j)
				s.Set(i, j, math.Max(0, rho/(1+rho)*y))
				g.Set(i, j, y-s.At(i, j))
			}
		}
	}
}

// TestAugmentedAgainstLiteral compares the fused passes with the literal form, tall and
// wide, in one slab and in several, by one factor and by blocks, with a ρ that is raised
// on the way and with several sweeps for each product with N.
func TestAugmentedAgainstLiteral(t *testing.T) {
	const iterations = 33
	for _, shape := range [][2]int{{30, 20}, {20, 30}, {17, 301}, {1, 9}, {9, 1}, {700, 11}} {
		for _, c := range []struct {
			block, steps int
			rho          float64
			sweeps       int
		}{
			{0, 1, 1, 1}, {0, 3, 0.75, 1}, {0, 4, 5, 1}, {1, 1, 1, 1}, {1, 2, 3, 1}, {2, 1, 1, 1},
			{0, 1, 1, 2}, {0, 2, 3, 5}, {1, 2, 1, 3}, {2, 1, 1, 4},
		} {
			m, n := shape[0], shape[1]
			rank := min(4, m, n)
			method := lnmutest.Underapproximation(c.block, lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: c.rho, StepsPerUpdate: c.steps, Sweeps: c.sweeps, ResidualTolerance: 1e-300})
			t.Run(fmt.Sprintf("%dx%d/%+v", m, n, c), func(t *testing.T) {
				x := lnmutest.Data[float64](m, n, 1)
				v, w := lnmutest.RandomStart[float64](m, n, rank, 7)
				gm, gv, gw := gonum.To(x), gonum.To(v), gonum.To(w)
				if c.block == 0 {
					literalScale(gm, gv, gw)
					v, w = gonum.From[float64](gv), gonum.From[float64](gw)
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Iterations: iterations}))(t)
				engine := engineOf(lagrangianOf(method))
				residual, want := mat.DenseCopyOf(gm), mat.NewDense(m, n, nil)
				block := c.block
				if block == 0 {
					block = rank
				}
				for k := 0; k < rank; k += block {
					end := min(k+block, rank)
					vk, wk := mat.DenseCopyOf(gv.Slice(0, m, k, end)), mat.DenseCopyOf(gw.Slice(k, end, 0, n))
					if c.block > 0 {
						literalScale(residual, vk, wk)
					}
					literalADMM(residual, vk, wk, iterations, c.steps, c.sweeps, engine.Penalty)
					var p mat.Dense
					p.Mul(vk, wk)
					want.Add(want, &p)
					residual.Apply(func(i, j int, x float64) float64 { return math.Max(0, x-p.At(i, j)) }, residual)
				}
				var got, diff mat.Dense
				got.Mul(gonum.To(res.V), gonum.To(res.W))
				diff.Sub(&got, want)
				if rel := mat.Norm(&diff, 2) / mat.Norm(gm, 2); !(rel < 1e-8) {
					t.Errorf("relative difference of V W is %.3g", rel)
				}
				diff.Sub(&got, gm)
				diff.Apply(func(_, _ int, x float64) float64 { return math.Max(0, x) }, &diff)
				if over := mat.Norm(&diff, 2) / mat.Norm(gm, 2); !(abs(over-res.RelativeViolation) < 1e-12) {
					t.Errorf("relative violation %v, recomputed %v", res.RelativeViolation, over)
				}
			})
		}
	}
}

// TestAugmentedSparseAgainstLiteral does so for sparse matrices, whose zeros have one
// multiplier.
func TestAugmentedSparseAgainstLiteral(t *testing.T) {
	const iterations, rank = 25, 3
	for _, shape := range [][2]int{{40, 25}, {25, 40}, {3, 60}} {
		x := lnmutest.SparseData[float64](shape[0], shape[1], 5)
		m := gonum.To(x.Dense())
		most, mean := mat.Max(m), mat.Sum(m)/float64(shape[0]*shape[1])
		v, w := lnmutest.RandomStart[float64](shape[0], shape[1], rank, 7)
		gv, gw := gonum.To(v), gonum.To(w)
		literalScale(m, gv, gw)
		v, w = gonum.From[float64](gv), gonum.From[float64](gw)
		for _, c := range []struct{ steps, sweeps int }{{1, 1}, {2, 1}, {2, 3}} {
			method := lnmu.GNMU{lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 3, StepsPerUpdate: c.steps, Sweeps: c.sweeps, ResidualTolerance: 1e-300}}
			res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Iterations: iterations}))(t)
			engine := engineOf(lagrangianOf(method))
			zeros := engine.Zeros(mean/most, iterations)
			pv, pw := mat.DenseCopyOf(gv), mat.DenseCopyOf(gw)
			g := mat.NewDense(shape[0], shape[1], nil)
			var n, p mat.Dense
			last := engine.Penalty(1)
			for k := 1; k <= iterations; k++ {
				rho := engine.Penalty(k)
				g.Scale(last/rho, g)
				last = rho
				n.Apply(func(i, j int, a float64) float64 {
					if a == 0 {
						return -zeros(k) * most
					}
					return a + math.Min(g.At(i, j), (1-rho)*g.At(i, j))
				}, m)
				for range c.steps {
					literalSwept(&n, pv, pw, c.sweeps)
				}
				p.Mul(pv, pw)
				g.Apply(func(i, j int, b float64) float64 {
					y := m.At(i, j) - p.At(i, j) + b
					return y - math.Max(0, rho/(1+rho)*y)
				}, g)
			}
			var got, diff mat.Dense
			got.Mul(gonum.To(res.V), gonum.To(res.W))
			diff.Sub(&got, &p)
			if rel := mat.Norm(&diff, 2) / mat.Norm(m, 2); !(rel < 1e-8) {
				t.Errorf("%d x %d, %+v: relative difference of V W is %.3g", shape[0], shape[1], c, rel)
			}
		}
	}
}

// TestAugmentedSwimmer: the exact answer, in a few iterations, where Algorithm L-NMU is
// far from it after 180.
func TestAugmentedSwimmer(t *testing.T) {
	m := swimmer[float64]()
	method := lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Solver: lnmu.SolverADMM}}
	dense := must.Get(lnmu.Factor(t.Context(), m, 8, method, &lnmu.Settings{Restarts: 1, Seed: 1}))(t)
	sparse := must.Get(lnmu.Factor(t.Context(), lnmu.NewCSR(m), 8, method, &lnmu.Settings{Restarts: 1, Seed: 1}))(t)
	for name, res := range map[string]*lnmu.Result[float64]{"dense": dense, "sparse": sparse} {
		most := 0
		for _, b := range res.Blocks {
			most = max(most, b.Iterations)
		}
		if s := lnmu.RowSparsity(res.V.Transposed()).Zeros; res.Stop != lnmu.StopResidual || most > 20 || abs(res.RelativeError-0.5095) > 1e-4 ||
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
				method := lnmu.GNMU{lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: rho, ResidualTolerance: tolerance}}
				res := must.Get(lnmu.Factor(t.Context(), m, 6, method, &lnmu.Settings{Restarts: 1, Iterations: 3000}))(t)
				if res.Stop != lnmu.StopResidual || res.RelativeViolation > tolerance || res.RelativeViolation > res.RelativeError {
					t.Errorf("ρ = %v: violation %v, error %v, ended by %s after %d", rho, res.RelativeViolation, res.RelativeError, res.Stop, res.Blocks[0].Iterations)
				}
			}
		}
	}
}

// TestAugmentedDefaults checks the default iterations and steps of solver admm.
func TestAugmentedDefaults(t *testing.T) {
	for _, c := range []struct{ block, iterations, steps int }{{0, 100, 4}, {1, 70, 1}, {2, 100, 4}} {
		method, s := must.Two(lnmu.WithDefaults(lnmu.Dense[float64]{Rows: 9, Cols: 7}, 3, lnmutest.Underapproximation(c.block, lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: 10}), nil))(t)
		if l := lagrangianOf(method); s.Iterations != c.iterations || l.StepsPerUpdate != c.steps {
			t.Errorf("blocks of %d: %d iterations, T = %d", c.block, s.Iterations, l.StepsPerUpdate)
		}
	}
}

// engineOf returns the options of the engine for an augmented Lagrangian.
func engineOf(l *lnmu.Lagrangian) method.Lagrangian {
	return method.Lagrangian{Augmented: method.Augmented{Rho: l.Rho}}
}
