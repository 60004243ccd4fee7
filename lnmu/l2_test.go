package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// elastic is a penalised problem in literal form.
type elastic struct {
	literal.Problem
	ofV, ofW   literal.Elastic
	divergence bool
}

// elasticOf returns the problem of a method on a matrix.
func elasticOf(p literal.Problem, method lnmu.Method) elastic {
	switch a := method.(type) {
	case lnmu.NMF:
		return elastic{p, literal.Elastic{L2: a.L2V}, literal.Elastic{L2: a.L2W}, false}
	case lnmu.SNMF:
		return elastic{p, literal.Elastic{L1: a.PenaltyV, L2: a.L2V}, literal.Elastic{L1: a.PenaltyW, L2: a.L2W}, false}
	}
	a := method.(lnmu.KL)
	return elastic{p, literal.Elastic{L1: a.PenaltyV, L2: a.L2V}, literal.Elastic{L1: a.PenaltyW, L2: a.L2W}, true}
}

// objective returns the weighted ||M - V W||², or the divergence, with the penalties.
func (x elastic) objective(v, w lnmu.Dense[float64]) float64 {
	if x.divergence {
		return x.Divergence(v, w) + x.ofV.Of(v) + x.ofW.Of(w)
	}
	return x.Squares(v, w) + x.ofV.Of(v) + x.ofW.Of(w)
}

// kkt returns the largest violation of the KKT conditions in V and in W.
func (x elastic) kkt(v, w lnmu.Dense[float64]) (inV, inW float64) {
	return x.kktOfV(v, w), elastic{x.Transposed(), x.ofW, x.ofV, x.divergence}.kktOfV(w.Transposed(), v.Transposed())
}

// kktOfV returns the largest violation in V: the smaller one of an entry and of its gradient, in units of
// the largest entry and of the largest positive part of a gradient.
func (x elastic) kktOfV(v, w lnmu.Dense[float64]) (worst float64) {
	gradient := lnmu.NewDense[float64](v.Rows, v.Cols, nil)
	var scale float64
	for i := range v.Rows {
		for k := range v.Cols {
			up, down := x.ofV.L1+2*x.ofV.L2*v.At(i, k), 0.0
			for j := range w.Cols {
				m, p, g := x.M.At(i, j), literal.Entry(v, w, i, j), x.U.At(i, j)*w.At(k, j)
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
			lnmu.SNMF{PenaltyV: 2 * penaltyV, PenaltyW: 2 * penaltyW, L2V: 2 * l2V, L2W: 2 * l2W, Solver: lnmu.SolverHALS},
			kl, coordinate,
		}
		if c.ratio == 0 {
			methods = append(methods, lnmu.NMF{L2V: 2 * l2V, L2W: 2 * l2W}, lnmu.NMF{L2V: 2 * l2V, L2W: 2 * l2W, Solver: lnmu.SolverHALS})
		}
		for _, method := range methods {
			for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m)} {
				iterations := 1000
				if method == lnmu.Method(kl) { // whose entries near 0 shrink slowly
					iterations = 3000
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: iterations}}))(t)
				of := elasticOf(literal.Complete(m), method)
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
// entries, with weights and with all of W fixed.
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
			{"fixed W", m, lnmu.Settings{FixedW: w}, m, ones, false},
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
				res, err := lnmu.FactorFrom(t.Context(), f.x, v, w, method, &f.s)
				if held := f.s.FixedW.Rows > 0; held && errors.Is(err, lnmu.ErrOption) {
					continue
				}
				must.Do(t, err, f.name, method)
				of := elasticOf(literal.Problem{M: f.m, U: f.u}, method)
				within := 1e-8
				if kl, ok := method.(lnmu.KL); ok { // coordinate steps end at the rounding of the divergence
					within = map[lnmu.Choice]float64{"": 1e-5, lnmu.SolverCoordinate: 1e-7}[kl.Solver]
				}
				if f.s.FixedW.Rows > 0 { // one factor alone ends nearer
					within /= 10
				}
				if inV, inW := of.kkt(res.V, res.W); !(inV <= within && (inW <= within || f.s.FixedW.Rows > 0)) {
					t.Errorf("%v, %s, %+v: the KKT conditions are violated by %.2g in V, %.2g in W", shape, f.name, method, inV, inW)
				}
			}
		}
	}
}

// TestKLStationary is the same for the divergence alone, which ends at less precision.
func TestKLStationary(t *testing.T) {
	m := counts[float64](40, 30, 3, 5)
	for method, c := range map[lnmu.KL]struct {
		iterations int
		within     float64 // which shrinks as the inverse of the iterations
	}{{}: {20_000, 1e-5}, {Solver: lnmu.SolverCoordinate}: {2000, 1e-7}} {
		res := must.Get(lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: 1}, Limits: lnmu.Limits{Iterations: c.iterations}}))(t)
		if inV, inW := elasticOf(literal.Complete(m), method).kkt(res.V, res.W); !(max(inV, inW) <= c.within) {
			t.Errorf("%+v: the KKT conditions are violated by %.2g in V, %.2g in W", method, inV, inW)
		}
	}
}

// TestMonotone checks that no iteration raises the objective: with penalties of runs one after the other, and
// without any of the iterations of one run. Matrices have random sizes and scales.
func TestMonotone(t *testing.T) {
	precisions(t, func(t *testing.T) { testMonotone[float64](t, 1e-13) },
		func(t *testing.T) { testMonotone[float32](t, 1e-6) })
}

func testMonotone[T lnmu.Float](t *testing.T, rounding float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	for at, method := range []lnmu.Method{
		lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate},
		lnmu.NMF{L2V: 2, L2W: 1}, lnmu.NMF{L2V: 2, L2W: 1, Solver: lnmu.SolverHALS}, lnmu.SNMF{PenaltyV: 1, L2V: 2, L2W: 1},
		lnmu.SNMF{PenaltyV: 1, L2V: 2, L2W: 1, Solver: lnmu.SolverHALS}, lnmu.KL{L2V: 2, L2W: 1, PenaltyW: 0.5}, lnmu.KL{L2V: 2, L2W: 1, Solver: lnmu.SolverCoordinate},
	} {
		free, problems := at < 4, 1 // free of penalties, so that the scale does not matter
		if free {
			problems = 12
		}
		for problem := range problems {
			m, v, w := nearlyOfRank(9, 7, 3)
			if problem > 0 {
				rows, cols, rank := 2+rng.IntN(60), 2+rng.IntN(60), 1+rng.IntN(6)
				m = times(counts[float64](rows, cols, 1+rng.IntN(4), uint64(problem)), math.Exp2(float64(rng.IntN(60)-30)))
				v, w = lnmutest.RandomStart[float64](rows, cols, rank, uint64(problem))
				literal.Complete(m).Scale(v, w)
			}
			if (problem/2+at)%2 != 0 && free && os.Getenv("NMU_FULL") == "" {
				continue // the methods share the problems out
			}
			narrow, gaps := literal.As[T](m), lnmutest.Gaps(m.Rows, m.Cols, 0.5, 4)
			for kind, u := range map[string]lnmu.Dense[float64]{"dense": lnmutest.Ones[float64](m.Rows, m.Cols), "mask": lnmutest.WeightsOf(gaps, false), "weights": lnmutest.WeightsOf(gaps, true)} {
				solvers := []lnmu.Choice{""}
				x := lnmu.Matrix[T](lnmu.Observed[T]{Matrix: narrow, Weights: u})
				if _, counts := method.(lnmu.KL); kind != "dense" && !counts {
					solvers = incompleteSolvers()
				} else if kind == "dense" && problem%2 == 1 {
					x = lnmu.NewCSR(narrow)
				}
				of := elasticOf(literal.Problem{M: literal.As[float64](narrow), U: u}, method)
				for _, solver := range solvers {
					what := fmt.Sprintf("%T, %+v, problem %d of %d x %d, %s, %s", method, method, problem, m.Rows, m.Cols, kind, solver)
					a, b := literal.As[T](v), literal.As[T](w)
					last := of.objective(literal.As[float64](a), literal.As[float64](b))
					for range 6 { // of kl coordinate, one iteration of each kind
						res := must.Get(lnmu.FactorFrom(t.Context(), x, a, b, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}, MissingSolver: solver}))(t, what)
						a, b = res.V, res.W
						f := of.objective(literal.As[float64](a), literal.As[float64](b))
						must.AtMost(t, f, last*(1+rounding)+rounding*of.Total()*rounding, what, "a run raises the objective from", last, "to")
						last = f
					}
					if !free {
						continue
					}
					res := must.Get(lnmu.FactorFrom(t.Context(), x, literal.As[T](v), literal.As[T](w), method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 30, CheckEvery: 1}, Record: true, MissingSolver: solver}))(t, what)
					for k, e := range res.Blocks[0].History[1:] {
						if before := res.Blocks[0].History[k]; !(e <= before*(1+rounding)+rounding) {
							t.Errorf("%s: iteration %d raises the loss from %v to %v", what, k+2, before, e)
						}
					}
				}
			}
		}
	}
}

// TestL2WithSums checks that an l2 penalty reaches the exact steps of a factor whose lines have the sum
// 1: it draws their entries together. A penalty on one factor alone has an optimum then.
func TestL2WithSums(t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	objective := func(method lnmu.NMF) float64 {
		res := must.Get(lnmu.FactorFrom(t.Context(), m, v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 300}}))(t)
		for i := range m.Rows {
			if sum := res.V.At(i, 0) + res.V.At(i, 1) + res.V.At(i, 2); math.Abs(sum-1) > 1e-14 {
				t.Errorf("%+v: row %d of V has the sum %v", method, i, sum)
			}
		}
		return elasticOf(literal.Complete(m), lnmu.NMF{L2V: 300, L2W: 0.5}).objective(res.V, res.W)
	}
	for _, solver := range []lnmu.Choice{lnmu.SolverHALS, lnmu.SolverAccelerated} {
		with := objective(lnmu.NMF{SumToOneV: true, L2V: 300, L2W: 0.5, Solver: solver})
		for _, other := range []lnmu.NMF{{SumToOneV: true, L2W: 0.5, Solver: solver}, {SumToOneV: true, L2V: 100, L2W: 0.5, Solver: solver}, {SumToOneV: true, Solver: solver}} {
			if without := objective(other); !(with < without) {
				t.Errorf("objective %v, and %v by minimising %+v", with, without, other)
			}
		}
	}
}

// TestL2Extremes checks that penalties beyond the range of the numbers lead to finite factors.
func TestL2Extremes(t *testing.T) { precisions(t, testL2Extremes[float64], testL2Extremes[float32]) }

func testL2Extremes[T lnmu.Float](t *testing.T) {
	m, v, w := nearlyOfRank(9, 7, 3)
	for _, l2 := range []float64{1e-300, 1e-40, 1e-12, 1e20, 1e38, 1e300} {
		for _, method := range []lnmu.Method{
			lnmu.NMF{L2V: l2, L2W: l2}, lnmu.NMF{L2V: l2, L2W: l2, Solver: lnmu.SolverHALS}, lnmu.SNMF{PenaltyV: 1, PenaltyW: 1, L2V: l2, L2W: l2},
			lnmu.SNMF{PenaltyV: max(1, l2), PenaltyW: max(1, l2), Solver: lnmu.SolverAccelerated},
			lnmu.KL{L2V: l2, L2W: l2}, lnmu.KL{L2V: l2, L2W: l2, Solver: lnmu.SolverCoordinate},
		} {
			for _, x := range []lnmu.Matrix[T]{literal.As[T](m), lnmu.NewCSR(literal.As[T](m))} {
				res, err := lnmu.FactorFrom(t.Context(), x, literal.As[T](v), literal.As[T](w), method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 30}})
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

// TestL2OfOneFactor checks the penalties of one factor alone that the scale of the other one bounds.
func TestL2OfOneFactor(t *testing.T) {
	m, _, _ := nearlyOfRank(9, 7, 3)
	for _, method := range []lnmu.Method{lnmu.NMF{L2W: 1, SumToOneV: true}, lnmu.NMF{L2W: 1, SumToOneW: true}, lnmu.SNMF{PenaltyV: 1, L2W: 1}, lnmu.KL{PenaltyW: 1, L2V: 1}} {
		if _, err := lnmu.Factor(t.Context(), m, 2, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}, Start: lnmu.Start{Restarts: 1}}); err != nil {
			t.Errorf("%+v: %v", method, err)
		}
	}
}
