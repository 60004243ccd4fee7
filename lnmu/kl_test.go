package lnmu_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// counts returns a matrix of Poisson counts about the product of r factors.
func counts[T lnmu.Float](m, n, r int, seed uint64) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 3))
	v, w := lnmu.NewDense[float64](m, r, nil), lnmu.NewDense[float64](r, n, nil)
	for _, x := range []lnmu.Dense[float64]{v, w} {
		for i := range x.Data {
			x.Data[i] = math.Pow(rng.Float64(), 3) * 3
		}
	}
	return countsAbout[T](rng, v, w)
}

// countsAbout returns a matrix of Poisson counts with the mean V W.
func countsAbout[T lnmu.Float](rng *rand.Rand, v, w lnmu.Dense[float64]) lnmu.Dense[T] {
	x := lnmu.NewDense[T](v.Rows, w.Cols, nil)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Row(i)[j] = T(drawCount(rng, entryOf(v, w, i, j)))
		}
	}
	return x
}

// drawCount draws a count with Poisson noise.
func drawCount(rng *rand.Rand, mean float64) (count int) {
	for p := rng.Float64(); p > math.Exp(-mean); p *= rng.Float64() {
		count++
	}
	return count
}

// divergenceOf returns Σ u (m log(m/x) - m + x) with X = V W.
func divergenceOf[T lnmu.Float](m, u, v, w lnmu.Dense[T]) (d float64) {
	for i := range m.Rows {
		for j := range m.Cols {
			x, weight := entryOf(v, w, i, j), 1.0
			if u.Data != nil {
				weight = float64(u.At(i, j))
			}
			if weight == 0 {
				continue
			}
			if a := float64(m.At(i, j)); a > 0 {
				d += weight * (a*math.Log(a/x) - a)
			}
			d += weight * x
		}
	}
	return d
}

// literalKL is the algorithm of KL, as package method writes it, for weights u and penalties.
type literalKL struct {
	m, u, v, w         lnmu.Dense[float64]
	penaltyV, penaltyW float64
	free               int // the first columns of V are fixed

	beforeV, beforeW lnmu.Dense[float64]
	beta, bound      float64
	least            float64
}

func (x *literalKL) objective() float64 {
	d := divergenceOf(x.m, x.u, x.v, x.w)
	for _, a := range x.v.Data {
		d += x.penaltyV * a
	}
	for _, a := range x.w.Data {
		d += x.penaltyW * a
	}
	return d
}

// renew makes a multiplicative update of V, or of W, with ratios from the factors as they are.
func (x *literalKL) renew(v bool) {
	num, den := lnmu.NewDense[float64](x.v.Rows, x.v.Cols, nil), lnmu.NewDense[float64](x.v.Rows, x.v.Cols, nil)
	to, before, penalty := x.v, x.beforeV, x.penaltyV
	if !v {
		num, den = lnmu.NewDense[float64](x.w.Rows, x.w.Cols, nil), lnmu.NewDense[float64](x.w.Rows, x.w.Cols, nil)
		to, before, penalty = x.w, x.beforeW, x.penaltyW
	}
	for i := range x.m.Rows {
		for j := range x.m.Cols {
			vw, u := entryOf(x.v, x.w, i, j), 1.0
			if x.u.Data != nil {
				u = x.u.At(i, j)
			}
			if u == 0 {
				continue
			}
			ratio := 0.0
			if a := x.m.At(i, j); a > 0 {
				ratio = u * a / vw
			}
			for k := range x.v.Cols {
				if v {
					num.Row(i)[k] += ratio * x.w.At(k, j)
					den.Row(i)[k] += u * x.w.At(k, j)
				} else {
					num.Row(k)[j] += ratio * x.v.At(i, k)
					den.Row(k)[j] += u * x.v.At(i, k)
				}
			}
		}
	}
	for i := range to.Data {
		if v && i%to.Cols < x.free {
			continue
		}
		t := to.Data[i] * num.Data[i] / (den.Data[i] + penalty)
		to.Data[i] = t + x.beta*max(0, t-before.Data[i])
		before.Data[i] = t
	}
}

// iterate makes an iteration.
func (x *literalKL) iterate() {
	if x.beforeV.Data == nil {
		x.beforeV, x.beforeW, x.beta, x.bound, x.least = matrix.Clone(x.v), matrix.Clone(x.w), 0.5, 1, x.objective()
	}
	v, w := matrix.Clone(x.v), matrix.Clone(x.w)
	long := x.m.Rows >= x.m.Cols // whether V is the long factor
	x.renew(!long)
	x.renew(long)
	if d := x.objective(); d <= x.least {
		x.least = d
		x.bound = min(1, x.bound*1.01)
		x.beta = min(x.bound, x.beta*1.05)
		return
	}
	x.v, x.w, x.beforeV, x.beforeW = v, w, matrix.Clone(v), matrix.Clone(w)
	x.bound, x.beta = x.beta, x.beta/1.5
}

// conclude makes the last updates, and brings the norms of each part near to each other.
func (x *literalKL) conclude() {
	x.beta = 0
	x.renew(true)
	x.renew(false)
	for k := x.free; k < x.w.Rows && x.penaltyV == 0; k++ {
		var v, w float64
		for i := range x.v.Rows {
			v += x.v.At(i, k) * x.v.At(i, k)
		}
		for _, a := range x.w.Row(k) {
			w += a * a
		}
		c := literalEven(v, w)
		for i := range x.v.Rows {
			x.v.Row(i)[k] *= c
		}
		for j := range x.w.Row(k) {
			x.w.Row(k)[j] /= c
		}
	}
}

// TestKLLiteral compares KL, step by step, with the algorithm written literally: on tall and
// wide matrices, dense and sparse, with missing entries, weights, penalties and fixed factors.
func TestKLLiteral(t *testing.T) {
	const iterations, rank = 40, 4
	for _, c := range []struct {
		name                                        string
		rows, cols                                  int
		sparse, missing, weighted, penalties, fixed bool
	}{
		{name: "tall", rows: 130, cols: 37}, {name: "wide", rows: 23, cols: 210}, {name: "sparse", rows: 90, cols: 70, sparse: true},
		{name: "sparse wide", rows: 30, cols: 120, sparse: true, penalties: true}, {name: "missing", rows: 60, cols: 45, missing: true},
		{name: "missing wide", rows: 33, cols: 45, missing: true, penalties: true}, {name: "weights", rows: 60, cols: 45, weighted: true},
		{name: "weights, missing", rows: 45, cols: 60, weighted: true, missing: true},
		{name: "penalties", rows: 60, cols: 45, penalties: true}, {name: "fixed", rows: 60, cols: 45, fixed: true}, {name: "fixed, sparse", rows: 40, cols: 75, fixed: true, sparse: true},
	} {
		for _, solver := range solversOf(lnmu.KL{}) {
			t.Run(c.name+", "+string(solver), func(t *testing.T) {
				m := counts[float64](c.rows, c.cols, rank, 1)
				v, w := lnmutest.RandomStart[float64](c.rows, c.cols, rank, 2)
				x := &literalKL{m: m, v: matrix.Clone(v), w: matrix.Clone(w)}
				method, s := lnmu.KL{Solver: solver}, lnmu.Settings{Iterations: iterations, CheckEvery: 1, Record: true}
				seen := lnmu.Observed[float64]{Matrix: m}
				if c.sparse {
					seen.Matrix = lnmu.NewCSR(m)
				}
				if c.missing || c.weighted {
					x.u = lnmutest.Ones[float64](c.rows, c.cols)
				}
				if c.weighted {
					for i := range x.u.Data {
						x.u.Data[i] = float64(1+i%4) / 4
					}
					seen.Weights = matrix.Clone(x.u)
				}
				if c.missing {
					seen.Mask = lnmu.NewMask(c.rows, c.cols)
					holed := matrix.Clone(m)
					seen.Matrix = holed
					for i := 0; i < len(m.Data); i += 7 {
						x.u.Data[i] = 0
						seen.Mask.Set(i/c.cols, i%c.cols, false)
						holed.Data[i] = math.NaN()
					}
				}
				if c.penalties {
					method.PenaltyV, method.PenaltyW = 0.5, 2
					x.penaltyV, x.penaltyW = method.PenaltyV, method.PenaltyW
				}
				if c.fixed {
					s.Fixed.V = v.Slice(0, c.rows, 0, 2)
					s.Fixed.V.Cols = 2
					x.free = 2
				}
				got := must.Get(lnmu.FactorFrom(t.Context(), seen, v, w, method, &s))(t)
				null, total := nullDivergence(m, x.u)
				for k := range iterations {
					if solver == lnmu.SolverCoordinate && k >= iterations/2 {
						x.literalCoordinates()
					} else {
						x.iterate()
					}
					want := divergenceOf(m, x.u, x.v, x.w) / null
					if got := got.Blocks[0].History[k]; !(math.Abs(got-want) <= 1e-9) {
						t.Fatalf("iteration %d: relative divergence %v, want %v", k+1, got, want)
					}
				}
				x.conclude()
				must.Do(t, errors.Join(near(got.V, x.v, 1e-9), near(got.W, x.w, 1e-9)))
				if want := divergenceOf(m, x.u, x.v, x.w) / null; math.Abs(got.RelativeDivergence-want) > 1e-12*total/null || got.Blocks[0].Divergence != got.RelativeDivergence {
					t.Errorf("relative divergence %v and %v, want %v", got.RelativeDivergence, got.Blocks[0].Divergence, want)
				}
			})
		}
	}
}

// nullDivergence returns the divergence of M from its mean, and the sum of M.
func nullDivergence(m, u lnmu.Dense[float64]) (null, total float64) {
	mean, weights := lnmu.NewDense[float64](m.Rows, 1, nil), 0.0
	for i := range m.Data {
		w := 1.0
		if u.Data != nil {
			w = u.Data[i]
		}
		if w > 0 {
			total += w * m.Data[i]
		}
		weights += w
	}
	for i := range mean.Data {
		mean.Data[i] = total / weights
	}
	return divergenceOf(m, u, mean, lnmutest.Ones[float64](1, m.Cols)), total
}

// literalCoordinates is one of the last iterations of SolverCoordinate, as package poisson writes it, for weights u
// and penalties.
func (x *literalKL) literalCoordinates() {
	long := x.m.Rows >= x.m.Cols // whether V is the long factor
	x.renewLines(long)
	x.renewLines(!long)
}

// renewLines takes the coordinates of each row of V, or of each column of W, twice in turn.
func (x *literalKL) renewLines(v bool) {
	lines, places, penalty := x.m.Rows, x.m.Cols, x.penaltyV
	least := slices.Max(x.m.Data) * 0x1p-104 // the precision, squared
	if !v {
		lines, places, penalty = places, lines, x.penaltyW
	}
	for i := range lines {
		h, g, m, u := make([]*float64, x.v.Cols), make([][]float64, places), make([]float64, places), make([]float64, places)
		for k := range h {
			if v {
				h[k] = &x.v.Row(i)[k]
			} else {
				h[k] = &x.w.Row(k)[i]
			}
		}
		for j := range places {
			at, to := i, j
			g[j] = make([]float64, len(h))
			for k := range h {
				if v {
					g[j][k] = x.w.At(k, j)
				} else {
					g[j][k] = x.v.At(j, k)
				}
			}
			if !v {
				at, to = j, i
			}
			m[j], u[j] = x.m.At(at, to), 1
			if x.u.Data != nil {
				u[j] = x.u.At(at, to)
			}
		}
		product := func(j int) (vw float64) {
			for k := range h {
				vw += *h[k] * g[j][k]
			}
			return max(vw, least)
		}
		step := func(k int) (needed bool) {
			sum, first, second := penalty, 0.0, 0.0
			for j, vectors := range g {
				sum += u[j] * vectors[k]
				if u[j] > 0 && m[j] > 0 {
					vw := product(j)
					first += u[j] * m[j] * vectors[k] / vw
					second += u[j] * m[j] * vectors[k] / vw * vectors[k] / vw
				}
			}
			if *h[k] = max(0, *h[k]+first/sum*(first-sum)/second); first == 0 {
				*h[k] = 0
			}
			return first > 0
		}
		for sweep := range 2 * len(h) {
			k := sweep % len(h)
			if v && k < x.free {
				continue
			}
			if old := *h[k]; step(k) && *h[k] == 0 && old > 0 {
				step(k) // from 0, which the first one may have reached beyond the minimum
			}
		}
	}
}

// TestKLMonotone: on random problems of all kinds the divergence of the factors never rises.
func TestKLMonotone(t *testing.T) {
	for _, solver := range solversOf(lnmu.KL{}) {
		t.Run(string(solver), func(t *testing.T) {
			testKLMonotone[float64](t, lnmu.KL{Solver: solver}, 1e-13)
			testKLMonotone[float32](t, lnmu.KL{Solver: solver}, 1e-6)
		})
	}
}

func testKLMonotone[T lnmu.Float](t *testing.T, method lnmu.KL, precision float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	for problem := range 100 {
		rows, cols, rank := 1+rng.IntN(70), 1+rng.IntN(70), 1+rng.IntN(6)
		m := counts[T](rows, cols, 1+rng.IntN(4), uint64(problem))
		scale := T(math.Exp2(float64(rng.IntN(60) - 30)))
		total := 0.0
		for i := range m.Data {
			m.Data[i] *= scale
			total += float64(m.Data[i])
		}
		var x lnmu.Matrix[T] = m
		if problem%2 == 1 {
			x = lnmu.NewCSR(m)
		}
		if total == 0 {
			continue
		}
		null, _ := nullDivergence(converted[float64](m), lnmu.Dense[float64]{})
		last := math.Inf(1)
		s := lnmu.Settings{Restarts: 1, Seed: uint64(problem), CheckEvery: 1, Record: true, Iterations: 30}
		res := must.Get(lnmu.Factor(t.Context(), x, rank, method, &s))(t)
		for k, d := range res.Blocks[0].History {
			d *= null
			if d > last+precision*total || math.IsNaN(d) {
				t.Fatalf("problem %d, %d x %d, rank %d: the divergence rises from %v to %v in iteration %d", problem, rows, cols, rank, last, d, k+1)
			}
			last = d
		}
		left, reported := divergenceOf(m, lnmu.Dense[T]{}, res.V, res.W), res.RelativeDivergence*null
		if reported > last+precision*total || math.Abs(left-reported) > 30*precision*total {
			t.Errorf("problem %d: divergence %v after %v, by the factors %v", problem, reported, last, left)
		}
	}
}

// TestKLStationary: after many iterations the factors satisfy the optimality conditions: no
// gradient is negative, and its product with the factor is zero.
func TestKLStationary(t *testing.T) {
	iterations, within := 20_000, 1e-5 // which shrinks as the inverse of the iterations
	if os.Getenv("NMU_FULL") != "" {
		iterations, within = 200_000, 1e-6
	}
	t.Run("multiplicative", func(t *testing.T) { testKLStationary(t, lnmu.KL{}, iterations, within) })
	t.Run("coordinate", func(t *testing.T) { testKLStationary(t, lnmu.KL{Solver: lnmu.SolverCoordinate}, 2000, 1e-7) })
}

func testKLStationary(t *testing.T, method lnmu.KL, iterations int, within float64) {
	m := counts[float64](40, 30, 3, 5)
	res := must.Get(lnmu.Factor(t.Context(), m, 3, method, &lnmu.Settings{Restarts: 1, Seed: 1, Iterations: iterations}))(t)
	if inV, inW := elasticOf(m, method).kkt(res.V, res.W); !(max(inV, inW) <= within) {
		t.Errorf("the KKT conditions are violated by %.2g in V, %.2g in W", inV, inW)
	}
}

// TestKLExtremes: zero rows and columns, starts of zeros, denormals and huge counts give finite
// factors.
func TestKLExtremes(t *testing.T) {
	for _, solver := range solversOf(lnmu.KL{}) {
		t.Run(string(solver), func(t *testing.T) {
			testKLExtremes[float64](t, lnmu.KL{Solver: solver}, 1e-145, 1e145)
			testKLExtremes[float32](t, lnmu.KL{Solver: solver}, 1e-15, 1e15)
		})
	}
}

func testKLExtremes[T lnmu.Float](t *testing.T, method lnmu.KL, small, large T) {
	for what, scale := range map[string]T{"counts": 1, "small": small, "large": large} {
		m := counts[T](30, 20, 3, 9)
		for i := range m.Data {
			m.Data[i] *= scale
		}
		clear(m.Row(4))
		clear(m.Row(29))
		for i := range 30 {
			m.Row(i)[7] = 0
		}
		m.Row(1)[1] = scale * 1e-20 // beside numbers of other sizes
		v, w := lnmutest.RandomStart[T](30, 20, 3, 1)
		clear(w.Row(2))
		for i := range 30 {
			v.Row(i)[1] = 0
		}
		v.Row(0)[0], v.Row(0)[2] = 0, 0 // V W is 0 in row 0, where M is positive
		for kind, x := range map[string]lnmu.Matrix[T]{"dense": m, "sparse": lnmu.NewCSR(m)} {
			for start, res := range map[string]func() (*lnmu.Result[T], error){
				"random": func() (*lnmu.Result[T], error) {
					return lnmu.Factor(t.Context(), x, 3, method, &lnmu.Settings{Restarts: 1, Iterations: 300})
				},
				"zeros": func() (*lnmu.Result[T], error) {
					return lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Iterations: 300})
				},
			} {
				r, err := res()
				if err != nil {
					t.Errorf("%s, %s, %s start: %v", what, kind, start, err)
					continue
				}
				must.Do(t, errors.Join(checkValues("V", r.V), checkValues("W", r.W)), what, kind, start)
				if d := r.RelativeDivergence; start == "random" && !(d > 0 && d < 1) || math.IsNaN(d) {
					t.Errorf("%s, %s, %s start: relative divergence %v", what, kind, start, d)
				}
			}
		}
	}
}
