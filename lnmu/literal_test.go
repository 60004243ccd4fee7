package lnmu_test

import (
	"cmp"
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

// The literal form: equations (halsV), (halsW), Algorithm L-NMU as the paper prints it, with Λ,
// and the augmented Lagrangian, in float64, without any fusion.

// literalSweeps makes at most most sweeps of H (r x q) but for the rows that are held, given A (r x q)
// and B (r x r), and ends after one that changed H by this part of what the first did, or less.
func literalSweeps(h, a, b *mat.Dense, most int, penalty, part float64, held func(k int) bool) {
	r, q := h.Dims()
	first := 0.0
	for t := range most {
		before := mat.DenseCopyOf(h)
		for k := range r {
			if b.At(k, k) == 0 || held(k) {
				continue
			}
			for j := range q {
				sum := a.At(k, j) - penalty
				for l := range r {
					if l != k {
						sum -= b.At(k, l) * h.At(l, j)
					}
				}
				h.Set(k, j, math.Max(0, sum/b.At(k, k)))
			}
		}
		before.Sub(h, before)
		change := mat.Norm(before, 2)
		if t == 0 {
			first = change
		}
		if change <= part*first {
			return
		}
	}
}

func none(int) bool { return false }

// literalHALS makes sweeps over V, and then over W, but for the columns of V and rows of W that are held.
func literalHALS(n, v, w *mat.Dense, sweeps int, penaltyV, penaltyW float64, heldV, heldW func(k int) bool) {
	h := mat.DenseCopyOf(v.T())
	var a, b, c, d mat.Dense
	a.Mul(w, n.T())
	b.Mul(w, w.T())
	literalSweeps(h, &a, &b, sweeps, penaltyV/2, 0, heldV)
	v.Copy(h.T())
	c.Mul(v.T(), n)
	d.Mul(v.T(), v)
	literalSweeps(w, &c, &d, sweeps, penaltyW/2, 0, heldW)
}

// literalScale scales v and w together so that equation (scaling) holds.
func literalScale(m, v, w *mat.Dense) {
	var p, x, y mat.Dense
	p.Mul(v, w)
	x.MulElem(m, &p)
	y.MulElem(&p, &p)
	alpha := math.Sqrt(mat.Sum(&x) / mat.Sum(&y))
	v.Scale(alpha, v)
	w.Scale(alpha, w)
}

// literal runs a method from the start v, w and returns V W. The zeros of a sparse M have one multiplier.
func literal(of lnmu.Method, m, v, w *mat.Dense, iterations int, sparse bool) *mat.Dense {
	rows, cols := m.Dims()
	_, rank := v.Dims()
	l, block, steps, says := lnmu.Lagrangian{}, rank, 1, of.Describe()
	switch of := of.(type) {
	case lnmu.GNMU:
		l, steps = of.Lagrangian, cmp.Or(of.StepsPerUpdate, 2)
	case lnmu.RNMU:
		l, steps, block = of.Lagrangian, cmp.Or(of.StepsPerUpdate, 2), max(1, of.Block)
	}
	engine := method.Lagrangian{Augmented: method.Augmented{Rho: l.Rho}}
	total, residual := mat.NewDense(rows, cols, nil), mat.DenseCopyOf(m)
	for at := 0; at < rank; at += block {
		v, w := mat.DenseCopyOf(v.Slice(0, rows, at, min(at+block, rank))), mat.DenseCopyOf(w.Slice(at, min(at+block, rank), 0, cols))
		if says.Recursive {
			literalScale(residual, v, w)
		}
		unit, zeros := mat.Max(residual), l.ZeroMultiplier
		if unit == 0 {
			break // nothing is left
		}
		if sparse && zeros == nil {
			zeros = engine.Zeros(mat.Sum(residual)/float64(rows*cols)/unit, iterations)
		}
		// N = M - S + G: without an augmented Lagrangian S is Λ, and G is zero.
		s, g := mat.NewDense(rows, cols, nil), mat.NewDense(rows, cols, nil)
		var n, p mat.Dense
		for k := 1; k <= iterations; k++ {
			rho := engine.Penalty(k)
			if k > 1 && rho > 0 {
				g.Scale(engine.Penalty(k-1)/rho, g) // scaled multipliers: ρ G stays
			}
			n.Sub(residual, s)
			n.Add(&n, g)
			n.Apply(func(i, j int, x float64) float64 {
				if sparse && says.Underapproximates && m.At(i, j) == 0 {
					return -float64(unit * zeros(k))
				}
				return x
			}, &n)
			for range steps {
				literalHALS(&n, v, w, max(1, l.Sweeps), 0, 0, none, none)
			}
			p.Mul(v, w)
			for i := range rows {
				for j := range cols {
					e := residual.At(i, j) - p.At(i, j)
					switch {
					case !says.Underapproximates:
					case l.Solver == lnmu.SolverADMM:
						y := e + g.At(i, j)
						s.Set(i, j, math.Max(0, rho/(1+rho)*y))
						g.Set(i, j, y-s.At(i, j))
					default:
						s.Set(i, j, math.Max(0, s.At(i, j)-e/float64(k)))
					}
				}
			}
		}
		total.Add(total, &p)
		residual.Apply(func(i, j int, x float64) float64 { return math.Max(0, x-p.At(i, j)) }, residual)
	}
	return total
}

// apart returns the norm of the difference of two matrices over the norm of the wanted one.
func apart(got, want mat.Matrix) float64 {
	var diff mat.Dense
	diff.Sub(got, want)
	return mat.Norm(&diff, 2) / mat.Norm(want, 2)
}

// productOf returns V W.
func productOf[T lnmu.Float](v, w lnmu.Dense[T]) *mat.Dense {
	var p mat.Dense
	p.Mul(gonum.To(v), gonum.To(w))
	return &p
}

// TestAgainstLiteral compares the fused passes with the literal form from the same start, tall and wide, in
// one slab and in several, dense and sparse, by one factor and by blocks, with several sweeps for each product
// with N, and with a ρ that is raised on the way.
func TestAgainstLiteral(t *testing.T) {
	root := func(k int) float64 { return 0.1 * math.Sqrt(float64(k)) }
	type row struct {
		method lnmu.Method
		rank   int
	}
	rows := []row{
		{lnmu.NMF{}, 5}, {lnmu.NMF{}, 9}, {lnmu.GNMU{}, 5}, {lnmu.GNMU{}, 1}, {lnmu.RNMU{}, 5}, {lnmu.RNMU{Block: 2}, 5}, {lnmu.RNMU{Block: 9}, 9},
		{lnmu.GNMU{lnmu.Lagrangian{Sweeps: 3}}, 5}, {lnmu.RNMU{Block: 2, Lagrangian: lnmu.Lagrangian{Sweeps: 4}}, 5},
		{lnmu.GNMU{lnmu.Lagrangian{ZeroMultiplier: root}}, 5}, {lnmu.RNMU{Lagrangian: lnmu.Lagrangian{ZeroMultiplier: func(int) float64 { return 0 }}}, 3},
	}
	for _, c := range []struct {
		block, steps int
		rho          float64
		sweeps       int
	}{
		{0, 1, 1, 1}, {0, 3, 0.75, 1}, {0, 4, 5, 1}, {1, 1, 1, 1}, {1, 2, 3, 1}, {2, 1, 1, 1},
		{0, 1, 1, 2}, {0, 2, 3, 3}, {0, 2, 3, 5}, {1, 2, 1, 3}, {2, 1, 1, 4},
	} {
		rows = append(rows, row{lnmutest.Underapproximation(c.block, lnmu.Lagrangian{Solver: lnmu.SolverADMM, Rho: c.rho, StepsPerUpdate: c.steps, Sweeps: c.sweeps, ResidualTolerance: 1e-300}), 4})
	}
	for _, shape := range [][2]int{{30, 20}, {20, 30}, {200, 17}, {17, 301}, {1, 9}, {9, 1}, {700, 11}, {120, 90}} {
		stored := lnmutest.SparseData[float64](shape[0], shape[1], 1)
		for _, x := range []lnmu.Matrix[float64]{lnmutest.Data[float64](shape[0], shape[1], 1), stored} {
			for _, c := range rows {
				l := lagrangianOf(c.method)
				dense, ok := x.(lnmu.Dense[float64])
				if ok && l != nil && l.ZeroMultiplier != nil || ok && shape[0] == 120 || !ok && shape[0] == 700 {
					continue // zeros of sparse matrices alone; one slab and several
				}
				within, iterations := 1e-9, 50
				if l != nil && l.Solver == lnmu.SolverADMM {
					within, iterations = 1e-8, 33
				}
				if !ok {
					dense = stored.Dense()
				}
				t.Run(fmt.Sprintf("%T %v/%+v-%d", x, shape, c.method, c.rank), func(t *testing.T) {
					v, w := lnmutest.RandomStart[float64](shape[0], shape[1], min(c.rank, shape[0], shape[1]), 7)
					m, gv, gw := gonum.To(dense), gonum.To(v), gonum.To(w)
					if !c.method.Describe().Recursive {
						literalScale(m, gv, gw)
						v, w = gonum.From[float64](gv), gonum.From[float64](gw)
					}
					res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, c.method, &lnmu.Settings{Iterations: iterations}))(t)
					got := productOf(res.V, res.W)
					if rel := apart(got, literal(c.method, m, gv, gw, iterations, !ok)); !(rel < within) {
						t.Errorf("relative difference of V W is %.3g", rel)
					}
					if e := apart(got, m); !(abs(e-res.RelativeError) < 1e-12) {
						t.Errorf("relative error %v, recomputed %v", res.RelativeError, e)
					}
					got.Sub(got, m)
					got.Apply(func(_, _ int, x float64) float64 { return math.Max(0, x) }, got)
					if viol := mat.Max(got); !(abs(viol-res.MaxViolation) < 1e-12) || res.ViolationBound {
						t.Errorf("largest violation %v, recomputed %v", res.MaxViolation, viol)
					}
					if over := mat.Norm(got, 2) / mat.Norm(m, 2); !(abs(over-res.RelativeViolation) < 1e-12) {
						t.Errorf("relative violation %v, recomputed %v", res.RelativeViolation, over)
					}
				})
			}
		}
	}
}
