package lnmu_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/support"
)

// literalEven returns the power of two that a vector is multiplied by, and the other one of its part is
// divided by, given the squares of their norms: 1 if one norm is at most 8 times the other, else the one
// nearest to 1 that leaves one norm at most twice the other.
func literalEven(a, b float64) float64 {
	c := 1.0
	switch ratio := b / a; {
	case a == 0 || b == 0:
	case ratio > 64:
		for ratio > 4*c*c*c*c {
			c *= 2
		}
	case ratio < 1.0/64:
		for ratio < c*c*c*c/4 {
			c /= 2
		}
	}
	return c
}

// literalAccelerated is the accelerated solver on a matrix whose longer side are its
// rows: each formula as the comment in accelerated.go has it, without any fusion, and
// the error from the residual. It changes v and w, and returns the errors of what is
// kept.
func literalAccelerated(m, v, w *mat.Dense, iterations, sweepsV, sweepsW int, penaltyV, penaltyW float64) (errs []float64, falls int) {
	objective := func(v, w mat.Matrix) float64 {
		var p mat.Dense
		p.Mul(v, w)
		p.Sub(m, &p)
		return math.Pow(mat.Norm(&p, 2), 2) + penaltyV*mat.Sum(v) + penaltyW*mat.Sum(w)
	}
	extrapolated := func(x, before *mat.Dense, beta float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Apply(func(i, j int, a float64) float64 { return math.Max(0, a+beta*(a-before.At(i, j))) }, x)
		return y
	}
	least := objective(v, w)
	beforeV, beforeW := mat.DenseCopyOf(v), mat.DenseCopyOf(w)
	beta, bound := 0.5, 1.0
	for range iterations {
		g := extrapolated(w, beforeW, beta)
		h := mat.DenseCopyOf(v.T())
		var a, b, c, d mat.Dense
		a.Mul(g, m.T())
		b.Mul(g, g.T())
		literalSweeps(h, &a, &b, sweepsV, penaltyV/2, 0.1, none)
		newV := mat.DenseCopyOf(h.T())
		nextV := extrapolated(newV, beforeV, beta)
		c.Mul(nextV.T(), m)
		d.Mul(nextV.T(), nextV)
		nextW := g
		literalSweeps(nextW, &c, &d, sweepsW, penaltyW/2, 0.1, none)
		if now := objective(nextV, nextW); now <= least {
			least = now
			beforeV, beforeW = newV, mat.DenseCopyOf(w)
			v.Copy(nextV)
			w.Copy(nextW)
			for k := 0; k < w.RawMatrix().Rows && penaltyV == 0; k++ {
				c := literalEven(math.Pow(mat.Norm(v.ColView(k), 2), 2), math.Pow(mat.Norm(w.RowView(k), 2), 2))
				for _, x := range []*mat.Dense{v, beforeV} {
					for i := range x.RawMatrix().Rows {
						x.Set(i, k, c*x.At(i, k))
					}
				}
				for _, x := range []*mat.Dense{w, beforeW} {
					for j := range x.RawMatrix().Cols {
						x.Set(k, j, x.At(k, j)/c)
					}
				}
			}
			bound = math.Min(1, bound*1.01)
			beta = math.Min(bound, beta*1.05)
		} else {
			beforeV, beforeW = mat.DenseCopyOf(v), mat.DenseCopyOf(w)
			bound = beta
			beta /= 1.5
			falls++
		}
		errs = append(errs, least)
	}
	return errs, falls
}

// TestAcceleratedLiteral compares the accelerated solver with its literal form: the
// factors, and the error of what is kept, which never rises, in both orientations, with
// penalties and on a sparse M. Larger shapes have several blocks, which end their
// sweeps one by one: these make two, which none ends before.
func TestAcceleratedLiteral(t *testing.T) {
	steppedBack := 0
	for _, shape := range [][2]int{{40, 30}, {30, 40}, {48, 9}, {9, 48}, {600, 17}, {17, 600}, {260, 120}} {
		for _, c := range []struct {
			method lnmu.Method
			rank   int
			sparse bool
		}{
			{lnmu.NMF{}, 4, false}, {lnmu.NMF{}, 1, false}, {lnmu.NMF{}, 4, true}, {lnmu.NMF{}, 1, true},
			{lnmu.SNMF{PenaltyV: 0.02, PenaltyW: 0.01}, 4, false},
		} {
			rows, cols := shape[0], shape[1]
			m := lnmutest.Data[float64](rows, cols, 3)
			entries := rows * cols
			if c.sparse {
				entries = len(lnmu.NewCSR(m).Val)
			}
			iterations := 20 // while progress is well above rounding
			if c.rank == 1 {
				iterations = 6
			}
			sweeps := 0
			if max(rows, cols) > 48 {
				sweeps = 2
			}
			ofV, ofW := hals.PerProduct(sweeps, entries, cols, rows, c.rank, nil).Most, hals.PerProduct(sweeps, entries, rows, cols, c.rank, nil).Most
			var penaltyV, penaltyW float64
			var method lnmu.Method = lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: sweeps}
			if s, ok := c.method.(lnmu.SNMF); ok {
				penaltyV, penaltyW = s.PenaltyV, s.PenaltyW
				s.Solver, s.Sweeps = lnmu.SolverAccelerated, sweeps
				method = s
			}
			t.Run(fmt.Sprintf("%dx%d %s-%d sparse=%v", rows, cols, lnmutest.NameOf(method), c.rank, c.sparse), func(t *testing.T) {
				v, w := lnmutest.RandomStart[float64](rows, cols, c.rank, 11)
				gm, gv, gw := gonum.To(m), gonum.To(v), gonum.To(w)
				literalScale(gm, gv, gw)
				v, w = gonum.From[float64](gv), gonum.From[float64](gw)
				settings := &lnmu.Settings{Iterations: iterations, TargetError: 1e-300, CheckEvery: 1}
				var x lnmu.Matrix[float64] = m
				if c.sparse {
					x = lnmu.NewCSR(m)
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, method, settings))(t)
				var want []float64
				var falls int
				if rows >= cols {
					want, falls = literalAccelerated(gm, gv, gw, iterations, ofV, ofW, penaltyV, penaltyW)
				} else {
					tv, tw := mat.DenseCopyOf(gw.T()), mat.DenseCopyOf(gv.T())
					want, falls = literalAccelerated(mat.DenseCopyOf(gm.T()), tv, tw, iterations, ofW, ofV, penaltyW, penaltyV)
					gv, gw = mat.DenseCopyOf(tw.T()), mat.DenseCopyOf(tv.T())
				}
				steppedBack += falls
				if ofV, ofW := apart(gonum.To(res.V), gv), apart(gonum.To(res.W), gw); !(max(ofV, ofW) < 1e-8) {
					t.Errorf("relative differences of V and W are %.3g and %.3g", ofV, ofW)
				}
				norm := mat.Norm(gm, 2)
				for k, e := range res.Blocks[0].History {
					if penaltyV == 0 && !(abs(e*e*norm*norm-want[k]) < 1e-9*want[k]) {
						t.Errorf("iteration %d: error %v, want %v", k+1, e, math.Sqrt(want[k])/norm)
					}
				}
				if e := apart(productOf(res.V, res.W), gm); !(abs(e-res.RelativeError) < 1e-12) {
					t.Errorf("error %v, that of the factors is %v", res.RelativeError, e)
				}
			})
		}
	}
	if steppedBack == 0 {
		t.Error("no iteration stepped back")
	}
}

// TestAcceleratedExact runs the accelerated solver on data of exactly low rank, where
// the error that is taken from products cancels: it goes down to rounding, in both
// precisions and whether M is dense or sparse, never up, and what is said of it is true.
func TestAcceleratedExact(t *testing.T) {
	testAcceleratedExact[float64](t, 1e-9)
	testAcceleratedExact[float32](t, 3e-4)
}

func testAcceleratedExact[T lnmu.Float](t *testing.T, most float64) {
	const rank = 3
	for _, shape := range [][2]int{{60, 25}, {25, 60}} {
		v, w := lnmutest.RandomStart[T](shape[0], shape[1], rank, 5)
		for i := range v.Data { // parts, which are unique
			if i%rank != i/rank%rank {
				v.Data[i] = 0
			}
		}
		m := lnmu.NewDense[T](shape[0], shape[1], nil)
		for i := range m.Rows {
			for k, x := range v.Row(i) {
				for j, y := range w.Row(k) {
					m.Row(i)[j] += T(x * y)
				}
			}
		}
		settings := &lnmu.Settings{Restarts: 3, Iterations: 500, TargetError: 1e-300, CheckEvery: 1}
		method := lnmu.NMF{Solver: lnmu.SolverAccelerated}
		dense := must.Get(lnmu.Factor(t.Context(), m, rank, method, settings))(t)
		sparse := must.Get(lnmu.Factor(t.Context(), lnmu.NewCSR(m), rank, method, settings))(t)
		for name, res := range map[string]*lnmu.Result[T]{"dense": dense, "sparse": sparse} {
			var squares, all float64
			for i := range m.Rows {
				for j, x := range m.Row(i) {
					e := float64(x) - entryOf(res.V, res.W, i, j)
					squares += e * e
					all += float64(x) * float64(x)
				}
			}
			e := math.Sqrt(squares / all)
			if !(e <= most) || !(abs(res.RelativeError-e) <= 2*matrix.Epsilon[T]()) {
				t.Errorf("%T, %v, %s: error %v, of the factors %v, want at most %v", T(0), shape, name, res.RelativeError, e, most)
			}
			last := 1.0
			for k, e := range res.Blocks[0].History {
				if e*e > last*last+2*matrix.Epsilon[T]() {
					t.Errorf("%T, %v, %s: the error rises from %v to %v in iteration %d", T(0), shape, name, last, e, k+1)
				}
				last = e
			}
		}
	}
}

// TestAcceleratedFaces checks what the solver is for, but for the time: the error of 600
// iterations after 100, from several starts.
func TestAcceleratedFaces(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("1400 iterations at rank 49: with NMU_FULL only")
	}
	m := faces(t)
	for seed := range uint64(2) {
		plain := must.Get(lnmu.Factor(t.Context(), m, 49, lnmu.NMF{}, &lnmu.Settings{Restarts: 1, Seed: seed}))(t)
		quick, err := lnmu.Factor(t.Context(), m, 49, lnmu.NMF{Solver: lnmu.SolverAccelerated}, &lnmu.Settings{Restarts: 1, Seed: seed})
		if err != nil || quick.Blocks[0].Iterations != 100 || !(quick.RelativeError <= plain.RelativeError) {
			t.Errorf("seed %d: error %v after 600 iterations; accelerated %+v, %v", seed, plain.RelativeError, quick, err)
		}
	}
}

// TestAcceleratedImprove checks that the supports are kept, and that the error is no
// larger than that of the paper's steps.
func TestAcceleratedImprove(t *testing.T) {
	for _, shape := range [][2]int{{70, 30}, {30, 70}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 2)
		start := must.Get(lnmu.Factor(t.Context(), m, 5, lnmu.GNMU{}, &lnmu.Settings{Restarts: 1, Iterations: 30}))(t)
		plain := must.Get(lnmu.Improve(t.Context(), m, start.V, start.W, lnmu.NMF{}, nil))(t)
		quick, err := lnmu.Improve(t.Context(), m, start.V, start.W, lnmu.NMF{Solver: lnmu.SolverAccelerated}, nil)
		if err != nil || quick.Blocks[0].Iterations != 100 || !(quick.RelativeError <= plain.RelativeError*(1+1e-6)) {
			t.Errorf("%v: error %v, accelerated %+v, %v", shape, plain.RelativeError, quick.RelativeError, err)
		}
		support.RoundBasis(start.V, group.Self{})
		support.RoundWeights(start.W, group.Self{})
		for _, x := range []struct{ from, to lnmu.Dense[float64] }{{start.V, quick.V}, {start.W, quick.W}} {
			for i, a := range x.from.Data {
				if a == 0 && x.to.Data[i] != 0 {
					t.Fatalf("%v: a zero became %v", shape, x.to.Data[i])
				}
			}
		}
	}
}

// TestAcceleratedPermuted: from a start that is permuted as M is, HALS and the accelerated
// solver of up to two sweeps find the same V W, permuted. More sweeps end by blocks.
func TestAcceleratedPermuted(t *testing.T) {
	permuted := func(d lnmu.Dense[float64], by func(i int) int) lnmu.Dense[float64] {
		p := lnmu.NewDense[float64](d.Rows, d.Cols, nil)
		for i := range p.Rows {
			copy(p.Row(i), d.Row(by(i)))
		}
		return p
	}
	for _, shape := range [][2]int{{260, 121}, {121, 260}} {
		rows, cols := shape[0], shape[1]
		m := lnmutest.Data[float64](rows, cols, 3)
		v, w := lnmutest.RandomStart[float64](rows, cols, 4, 7)
		ofRows := func(d lnmu.Dense[float64]) lnmu.Dense[float64] {
			return permuted(d, func(i int) int { return (7*i + 3) % rows })
		}
		ofColumns := func(d lnmu.Dense[float64]) lnmu.Dense[float64] {
			return permuted(d.Transposed(), func(j int) int { return (7*j + 3) % cols }).Transposed()
		}
		for _, c := range []struct {
			method lnmu.NMF
			same   bool
		}{
			{lnmu.NMF{}, true}, {lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 1}, true}, {lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 2}, true},
			{lnmu.NMF{Solver: lnmu.SolverAccelerated}, false},
		} {
			product := func(m, v, w lnmu.Dense[float64]) lnmu.Dense[float64] {
				res := must.Get(lnmu.FactorFrom(t.Context(), m, v, w, c.method, &lnmu.Settings{Iterations: 5}))(t)
				return gonum.From[float64](productOf(res.V, res.W))
			}
			want := ofColumns(ofRows(product(m, v, w)))
			err := near(product(ofColumns(ofRows(m)), ofRows(v), ofColumns(w)), want, 1e-9)
			if same := err == nil; same != c.same {
				t.Errorf("%v, %+v: the same V W: %v, want %v (%v)", shape, c.method, same, c.same, err)
			}
		}
	}
}

// TestNormsStayNear checks that momentum does not drive the norms of V_:k and W_k: apart where a part of M
// is fitted exactly, so that its scale changes no error.
func TestNormsStayNear(t *testing.T) {
	blocks := func(m, n int) (data []float64) {
		for i := range 6 * m {
			for j := range 6 * n {
				data = append(data, map[bool]float64{true: 1}[i/m == j/n])
			}
		}
		return data
	}
	for _, c := range []struct {
		name             string
		rows, cols, rank int
		data             []float64
	}{
		{"blocks", 18, 12, 6, blocks(3, 2)}, {"wide blocks", 12, 48, 6, blocks(2, 8)}, {"a row", 1, 2, 1, []float64{1, 2}}, {"a column", 3, 1, 1, []float64{1, 2, 5}},
		{"a long row", 1, 6 * 36, 1, blocks(1, 6)}, {"one entry", 1, 1, 1, []float64{7}}, {"rank one", 3, 2, 1, []float64{1, 2, 2, 4, 3, 6}},
		{"rank one, tiny", 2, 2, 1, []float64{1e-140, 2e-140, 2e-140, 4e-140}}, {"rank one, huge", 2, 2, 1, []float64{1e140, 2e140, 2e140, 4e140}},
	} {
		for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}} {
			m := lnmu.NewDense(c.rows, c.cols, c.data)
			for _, x := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m)} {
				checkNorms(t, c.name, x, c.rank, method)
			}
			if a := c.data[0]; a > 1e-30 && a < 1e30 { // within the range of float32
				checkNorms(t, c.name, converted[float32](m), c.rank, method)
			}
		}
	}
}

// checkNorms checks the norms of all parts after many iterations.
func checkNorms[T lnmu.Float](t *testing.T, name string, m lnmu.Matrix[T], rank int, method lnmu.Method) {
	t.Helper()
	res, err := lnmu.Factor(t.Context(), m, rank, method, &lnmu.Settings{Iterations: 2000 / rank, Restarts: 1})
	if err != nil {
		t.Fatalf("%s, %T, %+v: %v", name, m, method, err)
	}
	v, w := gonum.To(res.V), gonum.To(res.W)
	for k := range rank {
		ofV, ofW := mat.Norm(v.ColView(k), 2), mat.Norm(w.RowView(k), 2)
		if ofV > 0 && ofW > 0 && !(max(ofV/ofW, ofW/ofV) < 10) {
			t.Errorf("%s, %T, %+v: the norms of part %d are %v and %v", name, m, method, k, ofV, ofW)
		}
	}
}
