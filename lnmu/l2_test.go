package lnmu_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// elastic is a penalised problem in literal form: weights u, 0 for missing entries, and the penalties.
type elastic struct {
	m, u       lnmu.Dense[float64]
	divergence bool

	penaltyV, penaltyW, l2V, l2W float64
}

// elasticOf returns the problem of a method on a complete matrix.
func elasticOf(m lnmu.Dense[float64], method lnmu.Method) elastic {
	x := elastic{m: m, u: lnmutest.Ones[float64](m.Rows, m.Cols)}
	switch a := method.(type) {
	case lnmu.NMF:
		x.l2V, x.l2W = a.L2V, a.L2W
	case lnmu.SNMF:
		x.penaltyV, x.penaltyW, x.l2V, x.l2W = a.PenaltyV, a.PenaltyW, a.L2V, a.L2W
	case lnmu.KL:
		x.penaltyV, x.penaltyW, x.l2V, x.l2W, x.divergence = a.PenaltyV, a.PenaltyW, a.L2V, a.L2W, true
	}
	return x
}

// objective returns the weighted ||M - V W||², or the divergence, with the penalties.
func (x elastic) objective(v, w lnmu.Dense[float64]) (f float64) {
	for i := range x.m.Rows {
		for j := range x.m.Cols {
			m, p := x.m.At(i, j), entryOf(v, w, i, j)
			switch {
			case x.u.At(i, j) == 0:
			case !x.divergence:
				f += x.u.At(i, j) * (m - p) * (m - p)
			case m > 0:
				f += x.u.At(i, j) * (m*math.Log(m/p) - m + p)
			default:
				f += x.u.At(i, j) * p
			}
		}
	}
	for _, a := range v.Data {
		f += x.penaltyV*a + x.l2V*a*a
	}
	for _, a := range w.Data {
		f += x.penaltyW*a + x.l2W*a*a
	}
	return f
}

// transposed returns the problem of the transpose of M.
func (x elastic) transposed() elastic {
	return elastic{matrix.Transposed(x.m), matrix.Transposed(x.u), x.divergence, x.penaltyW, x.penaltyV, x.l2W, x.l2V}
}

// kkt returns the largest violation of the KKT conditions in V and in W.
func (x elastic) kkt(v, w lnmu.Dense[float64]) (inV, inW float64) {
	return x.kktOfV(v, w), x.transposed().kktOfV(matrix.Transposed(w), matrix.Transposed(v))
}

// kktOfV returns the largest violation in V: the smaller one of an entry and of its gradient, in units of
// the largest entry and of the largest positive part of a gradient.
func (x elastic) kktOfV(v, w lnmu.Dense[float64]) (worst float64) {
	gradient := lnmu.NewDense[float64](v.Rows, v.Cols, nil)
	var scale float64
	for i := range v.Rows {
		for k := range v.Cols {
			up, down := x.penaltyV+2*x.l2V*v.At(i, k), 0.0
			for j := range w.Cols {
				m, p, g := x.m.At(i, j), entryOf(v, w, i, j), x.u.At(i, j)*w.At(k, j)
				switch {
				case g == 0:
				case !x.divergence:
					up, down = up+2*g*p, down+2*g*m
				case m > 0:
					up, down = up+g, down+g*m/p
				default:
					up += g
				}
			}
			gradient.Row(i)[k] = up - down
			scale = max(scale, up)
		}
	}
	largest := slices.Max(v.Data)
	for at, g := range gradient.Data {
		worst = max(worst, math.Abs(min(v.Data[at]/largest, g/scale)))
	}
	return worst
}

// converted returns x in precision T.
func converted[T, S lnmu.Float](x lnmu.Dense[S]) lnmu.Dense[T] {
	to := lnmu.NewDense[T](x.Rows, x.Cols, nil)
	for i := range x.Rows {
		for j, a := range x.Row(i) {
			to.Row(i)[j] = T(a)
		}
	}
	return to
}

// nearlyOfRank returns a matrix near to one of some rank, and a start, from formulas that the values of
// scikit-learn below were computed with, too.
func nearlyOfRank(rows, cols, rank int) (m, v, w lnmu.Dense[float64]) {
	m, v, w = lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, rank, nil), lnmu.NewDense[float64](rank, cols, nil)
	ofV := func(i, k int) float64 { return float64(max(0, (7*i+5*k*k+3*i*k)%11-4)) }
	ofW := func(k, j int) float64 { return float64(max(0, (2*j+3*k+j*k*k+1)%7-2)) }
	for i := range rows {
		for j := range cols {
			m.Row(i)[j] = float64((11*i+7*j)%10) / 10
			for k := range rank {
				m.Row(i)[j] += ofV(i, k) * ofW(k, j)
				v.Row(i)[k] = ofV(i, k) + float64(1+(3*i+4*k)%7)/20
				w.Row(k)[j] = ofW(k, j) + float64(1+(2*j+5*k)%9)/20
			}
		}
	}
	return m, v, w
}

// scikitLearn are objectives of sklearn.decomposition.non_negative_factorization, scikit-learn 1.2.1, from
// the start of nearlyOfRank with init="custom" and tol=0, after 20000 iterations: solver="cd" for the
// squares and, with tenths of alpha_W and alpha_H, "mu" with beta_loss="kullback-leibler".
var scikitLearn = []struct {
	rows, cols, rank         int
	alphaW, alphaH, ratio    float64
	squares, kullbackLeibler float64
}{
	{9, 7, 3, 0.2, 0.2, 0, 232.21975843783554, 24.093685575555536},
	{9, 7, 3, 0.2, 0.2, 0.5, 180.55203224359394, 19.0573568383288},
	{9, 7, 3, 0.2, 0.3, 0.25, 252.47450146780488, 26.105302370374943},
	{6, 11, 2, 0.2, 0.2, 0, 86.45646800146542, 11.503607443579337},
	{6, 11, 2, 0.2, 0.2, 0.5, 73.38181490171877, 10.283470158568452},
	{6, 11, 2, 0.2, 0.2, 1, 58.667681661589974, 8.963380081475771},
	{6, 11, 2, 0.2, 0.3, 0.25, 97.37764305314619, 12.650254867766469},
}

// TestL2AgainstScikitLearn compares the objectives of minima with those of scikit-learn's NMF, whose
// penalties are alpha_W, alpha_H and l1_ratio, from the same starts.
func TestL2AgainstScikitLearn(t *testing.T) {
	for _, c := range scikitLearn {
		m, v, w := nearlyOfRank(c.rows, c.cols, c.rank)
		p, q := float64(c.rows), float64(c.cols)
		penaltyV, penaltyW := q*c.alphaW*c.ratio, p*c.alphaH*c.ratio
		l2V, l2W := q*c.alphaW*(1-c.ratio)/2, p*c.alphaH*(1-c.ratio)/2
		kl := lnmu.KL{PenaltyV: penaltyV / 10, PenaltyW: penaltyW / 10, L2V: l2V / 10, L2W: l2W / 10}
		coordinate := kl
		coordinate.Solver = lnmu.SolverCoordinate
		methods := []lnmu.Method{
			lnmu.SNMF{PenaltyV: 2 * penaltyV, PenaltyW: 2 * penaltyW, L2V: 2 * l2V, L2W: 2 * l2W},
			lnmu.SNMF{PenaltyV: 2 * penaltyV, PenaltyW: 2 * penaltyW, L2V: 2 * l2V, L2W: 2 * l2W, Solver: lnmu.SolverAccelerated},
			kl, coordinate,
		}
		if c.ratio == 0 {
			methods = append(methods, lnmu.NMF{L2V: 2 * l2V, L2W: 2 * l2W}, lnmu.NMF{L2V: 2 * l2V, L2W: 2 * l2W, Solver: lnmu.SolverAccelerated})
		}
		for _, method := range methods {
			for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m)} {
				iterations := 1000
				if method == lnmu.Method(kl) { // whose entries near 0 shrink slowly
					iterations = 3000
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Iterations: iterations}))(t)
				of := elasticOf(m, method)
				got, want := of.objective(res.V, res.W), c.kullbackLeibler
				if !of.divergence {
					got, want = got/2, c.squares
				}
				if !(math.Abs(got-want) <= 1e-9*want) {
					t.Errorf("%+v, %s %+v: objective %v, of scikit-learn %v: %.2g more", c, name, method, got, want, got/want-1)
				}
			}
		}
	}
}

// TestL2Stationary checks the KKT conditions after many iterations, in all storages, with missing
// entries and with weights.
func TestL2Stationary(t *testing.T) {
	squares := []lnmu.Method{
		lnmu.NMF{L2V: 10, L2W: 15, Solver: lnmu.SolverHALS}, lnmu.NMF{L2V: 10, L2W: 15, Solver: lnmu.SolverAccelerated},
		lnmu.SNMF{PenaltyV: 3, L2V: 10, L2W: 15, Solver: lnmu.SolverHALS}, lnmu.SNMF{PenaltyV: 3, PenaltyW: 5, L2W: 15, Solver: lnmu.SolverAccelerated},
	}
	divergences := []lnmu.Method{lnmu.KL{L2V: 1, L2W: 2, PenaltyW: 0.5}, lnmu.KL{L2V: 1, L2W: 2, PenaltyV: 0.5, Solver: lnmu.SolverCoordinate}}
	shapes := [][3]int{{9, 7, 3}, {8, 5, 1}}
	if os.Getenv("NMU_FULL") != "" {
		shapes = append(shapes, [3]int{6, 11, 2})
	}
	for _, shape := range shapes {
		m, v, w := nearlyOfRank(shape[0], shape[1], shape[2])
		mask, weights, zeros := lnmu.NewMask(m.Rows, m.Cols), lnmu.NewDense[float64](m.Rows, m.Cols, nil), matrix.Clone(m)
		for i := range m.Rows {
			for j := range m.Cols {
				mask.Set(i, j, (3*i+j)%5 != 0)
				weights.Row(i)[j] = float64(1+(i+2*j)%4) / 4 // penalties refer to weights up to 1
				if (3*i+j)%5 == 0 {
					zeros.Row(i)[j] = 0
				}
			}
		}
		holes := lnmutest.Ones[float64](m.Rows, m.Cols)
		for at, x := range zeros.Data {
			if x == 0 {
				holes.Data[at] = 0
			}
		}
		type form struct {
			name    string
			x       lnmu.Matrix[float64]
			s       lnmu.Settings
			m, u    lnmu.Dense[float64]
			squares bool // for methods by squares alone
		}
		ones := lnmutest.Ones[float64](m.Rows, m.Cols)
		forms := []form{
			{"dense", m, lnmu.Settings{}, m, ones, false},
			{"sparse", lnmu.NewCSR(zeros), lnmu.Settings{}, zeros, ones, false},
			{"missing", lnmu.Observed[float64]{Matrix: zeros, Mask: mask}, lnmu.Settings{}, m, holes, false},
			{"weights", lnmu.Observed[float64]{Matrix: m, Weights: weights}, lnmu.Settings{}, m, weights, false},
			{"missing, exact", lnmu.Observed[float64]{Matrix: zeros, Mask: mask}, lnmu.Settings{MissingSolver: lnmu.MissingExact}, m, holes, true},
			{"weights, exact", lnmu.Observed[float64]{Matrix: m, Weights: weights}, lnmu.Settings{MissingSolver: lnmu.MissingExact}, m, weights, true},
			{"unstored missing", lnmu.Observed[float64]{Matrix: lnmu.NewCSR(zeros), StoredOnly: true}, lnmu.Settings{}, m, holes, true},
		}
		for _, f := range forms {
			methods := squares
			if !f.squares {
				methods = append(methods, divergences...)
			}
			for _, method := range methods {
				f.s.Iterations = 1500
				if method == divergences[0] {
					f.s.Iterations = 4000
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), f.x, v, w, method, &f.s))(t, f.name, method)
				of := elasticOf(f.m, method)
				of.u = f.u
				within := 1e-8
				if kl, ok := method.(lnmu.KL); ok { // coordinate steps end at the rounding of the divergence
					within = map[lnmu.Solver]float64{"": 1e-5, lnmu.SolverCoordinate: 1e-7}[kl.Solver]
				}
				if inV, inW := of.kkt(res.V, res.W); !(inV <= within && inW <= within) {
					t.Errorf("%v, %s, %+v: the KKT conditions are violated by %.2g in V, %.2g in W", shape, f.name, method, inV, inW)
				}
			}
		}
	}
}

// TestL2FixedFactor checks the KKT conditions of the convex problem of V, with all of W fixed.
func TestL2FixedFactor(t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	for _, method := range []lnmu.Method{
		lnmu.NMF{L2V: 2, L2W: 1}, lnmu.KL{L2V: 2, L2W: 1}, lnmu.KL{PenaltyV: 1, L2V: 2, L2W: 1, Solver: lnmu.SolverCoordinate},
	} {
		for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m)} {
			res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Iterations: 1000, Fixed: lnmu.Fixed{W: w}}))(t)
			if lnmu.SHA256(res.W) != lnmu.SHA256(w) {
				t.Errorf("%s, %+v: the fixed W changed", name, method)
			}
			within := 1e-9
			if method == lnmu.Method(lnmu.KL{L2V: 2, L2W: 1}) { // multiplicative updates end at the rounding of the divergence
				within = 1e-6
			}
			if inV, _ := elasticOf(m, method).kkt(res.V, res.W); !(inV <= within) {
				t.Errorf("%s, %+v: the KKT conditions are violated by %.2g", name, method, inV)
			}
		}
	}
}

// TestL2Monotone checks that no iteration raises the objective.
func TestL2Monotone(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testL2Monotone[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { testL2Monotone[float32](t, 1e-5) })
}

func testL2Monotone[T lnmu.Float](t *testing.T, rounding float64) {
	m, v, w := nearlyOfRank(9, 7, 3)
	for _, method := range []lnmu.Method{
		lnmu.NMF{L2V: 2, L2W: 1}, lnmu.NMF{L2V: 2, L2W: 1, Solver: lnmu.SolverAccelerated},
		lnmu.SNMF{PenaltyV: 1, L2V: 2, L2W: 1}, lnmu.SNMF{PenaltyV: 1, L2V: 2, L2W: 1, Solver: lnmu.SolverAccelerated},
		lnmu.KL{L2V: 2, L2W: 1, PenaltyW: 0.5}, lnmu.KL{L2V: 2, L2W: 1, Solver: lnmu.SolverCoordinate},
	} {
		for _, kind := range []string{"dense", "sparse"} {
			x := lnmu.Matrix[T](converted[T](m))
			if kind == "sparse" {
				x = lnmu.NewCSR(converted[T](m))
			}
			of, v, w := elasticOf(m, method), converted[T](v), converted[T](w)
			last := of.objective(matrix.Widen(v), matrix.Widen(w))
			for k := range 12 {
				res, err := lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Iterations: 2}) // of kl coordinate, one of each kind
				if err != nil {
					t.Fatal(err)
				}
				v, w = res.V, res.W
				f := of.objective(matrix.Widen(v), matrix.Widen(w))
				if !(f <= last*(1+rounding)) {
					t.Errorf("%s, %+v: run %d raises the objective from %v to %v", kind, method, k, last, f)
				}
				last = f
			}
		}
	}
}

// TestL2WithSums checks that an l2 penalty reaches the exact steps of a factor whose lines have the sum
// 1: it draws their entries together. A penalty on one factor alone has an optimum then.
func TestL2WithSums(t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	objective := func(method lnmu.NMF) float64 {
		res := must.Get(lnmu.FactorFrom(t.Context(), m, v, w, method, &lnmu.Settings{Iterations: 300}))(t)
		for i := range m.Rows {
			if sum := res.V.At(i, 0) + res.V.At(i, 1) + res.V.At(i, 2); math.Abs(sum-1) > 1e-14 {
				t.Errorf("%+v: row %d of V has the sum %v", method, i, sum)
			}
		}
		return elasticOf(m, lnmu.NMF{L2V: 300, L2W: 0.5}).objective(res.V, res.W)
	}
	for _, solver := range []lnmu.Solver{lnmu.SolverHALS, lnmu.SolverAccelerated} {
		with := objective(lnmu.NMF{SumToOneV: true, L2V: 300, L2W: 0.5, Solver: solver})
		for _, other := range []lnmu.NMF{{SumToOneV: true, L2W: 0.5, Solver: solver}, {SumToOneV: true, L2V: 100, L2W: 0.5, Solver: solver}, {SumToOneV: true, Solver: solver}} {
			if without := objective(other); !(with < without) {
				t.Errorf("objective %v, and %v by minimising %+v", with, without, other)
			}
		}
	}
}

// TestL2Scale checks that a start far from the scale that the penalties determine is balanced, by powers
// of two, and that l2 penalties of any ratio lead to the same V W.
func TestL2Scale(t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	of := func(c float64, method lnmu.Method) *lnmu.Result[float64] {
		v, w := matrix.Clone(v), matrix.Clone(w)
		for i := range v.Data {
			v.Data[i] *= c
		}
		for i := range w.Data {
			w.Data[i] /= c
		}
		res := must.Get(lnmu.FactorFrom(t.Context(), m, v, w, method, &lnmu.Settings{Iterations: 20}))(t)
		return res
	}
	for _, method := range []lnmu.Method{lnmu.NMF{L2V: 2, L2W: 1}, lnmu.SNMF{PenaltyV: 1, L2V: 2, L2W: 1, Solver: lnmu.SolverAccelerated}} {
		x := elasticOf(m, method)
		near := of(1, method)
		least := x.objective(near.V, near.W)
		for _, c := range []float64{1e-9, 1e9} {
			far := of(c, method)
			if f := x.objective(far.V, far.W); !(f <= 1.1*least) {
				t.Errorf("%+v: objective %v from a start times %v, %v from the start itself", method, f, c, least)
			}
		}
	}
}

// TestL2Extremes checks that penalties beyond the range of the numbers lead to finite factors.
func TestL2Extremes(t *testing.T) {
	t.Run("float64", testL2Extremes[float64])
	t.Run("float32", testL2Extremes[float32])
}

func testL2Extremes[T lnmu.Float](t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	for _, l2 := range []float64{1e-300, 1e-40, 1e-12, 1e20, 1e38, 1e300} {
		for _, method := range []lnmu.Method{
			lnmu.NMF{L2V: l2, L2W: l2}, lnmu.NMF{L2V: l2, L2W: l2, Solver: lnmu.SolverAccelerated}, lnmu.SNMF{PenaltyV: 1, PenaltyW: 1, L2V: l2, L2W: l2},
			lnmu.SNMF{PenaltyV: max(1, l2), PenaltyW: max(1, l2), Solver: lnmu.SolverAccelerated},
			lnmu.KL{L2V: l2, L2W: l2}, lnmu.KL{L2V: l2, L2W: l2, Solver: lnmu.SolverCoordinate},
		} {
			for _, x := range []lnmu.Matrix[T]{converted[T](m), lnmu.NewCSR(converted[T](m))} {
				res, err := lnmu.FactorFrom(t.Context(), x, converted[T](v), converted[T](w), method, &lnmu.Settings{Iterations: 30})
				if err != nil {
					t.Errorf("%T, %+v: %v", x, method, err)
					continue
				}
				if most := max(slices.Max(res.V.Data), slices.Max(res.W.Data)); !(most <= 1e6) || checkValues("V", res.V) != nil || checkValues("W", res.W) != nil {
					t.Fatalf("%T, %+v: an entry is negative, not finite or %v", x, method, most)
				}
				if e := res.RelativeError; l2 >= 1e20 && !(e > 0.99) || l2 < 1e-11 && !(e < 0.3) {
					t.Errorf("%T, %+v: relative error %v", x, method, e)
				}
			}
		}
	}
}

// TestL2Sums checks that a run of KL ends with the sums of the columns that KL describes.
func TestL2Sums(t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	for _, solver := range solversOf(lnmu.KL{}) {
		for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m)} {
			res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, lnmu.KL{L2V: 1, L2W: 2, PenaltyW: 0.5, Solver: solver}, &lnmu.Settings{Iterations: 5}))(t)
			for j := range m.Cols {
				var got, want float64
				for i := range m.Rows {
					got += entryOf(res.V, res.W, i, j)
					want += m.At(i, j)
				}
				for k := range 3 {
					a := res.W.At(k, j)
					got += 0.5*a + 2*2*a*a
				}
				if !(math.Abs(got-want) <= 1e-13*want) {
					t.Errorf("%s, %s: the sum of column %d is %v, want %v", solver, name, j, got, want)
				}
			}
		}
	}
}

// TestL2OfOneFactor checks the penalties of one factor alone that the scale of the other one bounds.
func TestL2OfOneFactor(t *testing.T) {
	m, _, _ := nearlyOfRank(9, 7, 3)
	for _, method := range []lnmu.Method{lnmu.NMF{L2W: 1, SumToOneV: true}, lnmu.NMF{L2W: 1, SumToOneW: true}, lnmu.SNMF{PenaltyV: 1, L2W: 1}, lnmu.KL{PenaltyW: 1, L2V: 1}} {
		if _, err := lnmu.Factor(t.Context(), m, 2, method, &lnmu.Settings{Iterations: 2, Restarts: 1}); err != nil {
			t.Errorf("%+v: %v", method, err)
		}
	}
}
