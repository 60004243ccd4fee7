package lnmu_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// literalL1 is the recursion in the l1 norm as Norm describes it, with Λ.
func literalL1(m, v, w *mat.Dense, iterations, inner int) *mat.Dense {
	rows, cols := m.Dims()
	_, rank := v.Dims()
	total, residual := mat.NewDense(rows, cols, nil), mat.DenseCopyOf(m)
	renew := func(n mat.Matrix, old *mat.Dense, other mat.Vector) {
		r, c := n.Dims()
		for i := range r {
			var x, weight []float64
			var sum float64
			for j := range c {
				if b := other.AtVec(j); b > 0 {
					x, weight = append(x, n.At(i, j)/b), append(weight, b)
					sum += b
				}
			}
			if len(x) > 0 {
				old.Set(i, 0, max(0, sortedMedian(x, weight, sum/2)))
			}
		}
	}
	for k := range rank {
		vk, wk := mat.DenseCopyOf(v.Slice(0, rows, k, k+1)), mat.DenseCopyOf(w.Slice(k, k+1, 0, cols))
		literalScale(residual, vk, wk)
		wt := mat.DenseCopyOf(wk.T())
		lambda := mat.NewDense(rows, cols, nil)
		var n, p mat.Dense
		for it := 1; it <= iterations; it++ {
			n.Sub(residual, lambda)
			for range inner {
				renew(&n, vk, wt.ColView(0))
				renew(n.T(), wt, vk.ColView(0))
			}
			p.Mul(vk, wt.T())
			lambda.Apply(func(i, j int, x float64) float64 {
				return max(0, x-(residual.At(i, j)-p.At(i, j))/float64(it))
			}, lambda)
		}
		p.Mul(vk, wt.T())
		total.Add(total, &p)
		residual.Apply(func(i, j int, x float64) float64 { return max(0, x-p.At(i, j)) }, residual)
	}
	return total
}

// TestL1AgainstLiteral compares with the literal form from the same start, while
// rounding has not yet led them to different medians.
func TestL1AgainstLiteral(t *testing.T) {
	for _, shape := range [][2]int{{30, 20}, {20, 30}, {200, 9}, {1, 9}, {9, 1}} {
		t.Run(fmt.Sprintf("%dx%d", shape[0], shape[1]), func(t *testing.T) {
			x := lnmutest.Data[float64](shape[0], shape[1], 1)
			rank := min(3, shape[0], shape[1])
			v, w := lnmutest.RandomStart[float64](x.Rows, x.Cols, rank, 7)
			res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, lnmu.RNMU{Norm: lnmu.L1}, &lnmu.Settings{Iterations: 6}))(t)
			m := gonum.To(x)
			want := literalL1(m, gonum.To(v), gonum.To(w), 6, 2)
			got := productOf(res.V, res.W)
			if rel := apart(got, want); !(rel < 1e-9) {
				t.Errorf("relative difference of V W is %.3g", rel)
			}
			var above, below float64
			for i := range x.Rows {
				for j := range x.Cols {
					above += math.Abs(x.At(i, j) - got.At(i, j))
					below += x.At(i, j)
				}
			}
			if !(math.Abs(res.RelativeL1-above/below) < 1e-12) {
				t.Errorf("relative l1 error %v, recomputed %v", res.RelativeL1, above/below)
			}
		})
	}
}

// TestL1Robust plants large single entries on a matrix of rank one: the l1 norm
// finds it all the same.
func TestL1Robust(t *testing.T) {
	t.Run("float64", testL1Robust[float64])
	t.Run("float32", testL1Robust[float32])
}

func testL1Robust[T lnmu.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{40, 60}, {60, 40}} {
		m := lnmu.NewDense[T](shape[0], shape[1], nil)
		a, b := make([]float64, m.Rows), make([]float64, m.Cols)
		for i := range a {
			a[i] = 1 + rng.Float64()
		}
		for j := range b {
			b[j] = 1 + rng.Float64()
		}
		clean := func(i, j int) float64 { return a[i] * b[j] }
		for i := range m.Rows {
			for j := range m.Cols {
				m.Row(i)[j] = T(clean(i, j))
				if rng.IntN(10) == 0 {
					m.Row(i)[j] *= 20
				}
			}
		}
		worst := map[lnmu.Norm]float64{}
		for _, norm := range []lnmu.Norm{lnmu.L1, lnmu.L2} {
			method, s := lnmu.RNMU{Norm: norm}, lnmu.Settings{Restarts: 2, Seed: 1, Threads: 1}
			res := must.Get(lnmu.Factor(t.Context(), m, 1, method, &s))(t)
			for i := range m.Rows {
				for j := range m.Cols {
					worst[norm] = max(worst[norm], math.Abs(float64(res.V.At(i, 0))*float64(res.W.At(0, j))/clean(i, j)-1))
				}
			}
			s.Threads = 3
			again, err := lnmu.Factor(t.Context(), m, 1, method, &s)
			if err != nil || lnmu.SHA256(again.V) != lnmu.SHA256(res.V) || lnmu.SHA256(again.W) != lnmu.SHA256(res.W) {
				t.Errorf("%s: three threads give other bits than one (error %v)", norm, err)
			}
			if (norm == lnmu.L1) != (res.RelativeL1 > 0) {
				t.Errorf("%s: relative l1 error %v", norm, res.RelativeL1)
			}
		}
		t.Logf("%v: largest relative deviation %v", shape, worst)
		if !(worst[lnmu.L1] < 1e-5) || worst[lnmu.L2] < 0.01 {
			t.Errorf("%v: largest relative deviations %v", shape, worst)
		}
	}
}

// structured returns a sum of products of small whole numbers, mostly zeros: data
// of which a factor explains many entries exactly.
func structured[T lnmu.Float](m, n, rank int, seed uint64) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := lnmu.NewDense[T](m, n, nil)
	for range rank {
		v, w := make([]T, m), make([]T, n)
		for i := range v {
			v[i] = T(max(0, rng.IntN(6)-2)) / 10
		}
		for j := range w {
			w[j] = T(max(0, rng.IntN(6)-2)) / 10
		}
		for i := range v {
			for j := range w {
				x.Row(i)[j] += v[i] * w[j]
			}
		}
	}
	return x
}

// TestL1NeverRises checks that no factor makes the l1 error larger, that a factor
// is never left at its random start, and that rounding does not pass for data.
func TestL1NeverRises(t *testing.T) {
	t.Run("float64", testL1NeverRises[float64])
	t.Run("float32", testL1NeverRises[float32])
}

func testL1NeverRises[T lnmu.Float](t *testing.T) {
	identity := lnmu.NewDense(3, 3, []T{1, 0, 0, 0, 1, 0, 0, 0, 1})
	check := func(name string, m lnmu.Dense[T], rank int, s lnmu.Settings) {
		t.Helper()
		s.Restarts = 1
		res := must.Get(lnmu.Factor(t.Context(), m, rank, lnmu.RNMU{Norm: lnmu.L1}, &s))(t, name)
		last := 1.0
		for _, b := range res.Blocks {
			if !(b.L1 <= last) {
				t.Errorf("%s: the l1 error rises from %v to %v at rank %d", name, last, b.L1, b.Rank)
			}
			last = b.L1
		}
		if len(res.Blocks) == 0 && res.Stop != lnmu.StopExact || last != res.RelativeL1 {
			t.Errorf("%s: blocks %+v, l1 error %v in the end, ended by %s", name, res.Blocks, res.RelativeL1, res.Stop)
		}
		v, largest := res.V.Transposed(), float64(res.LargestEntry)
		for k := range v.Rows {
			a, b := float64(slices.Max(v.Row(k))), float64(slices.Max(res.W.Row(k)))
			if (a > 0) != (b > 0) || a > 0 && !(a*b > 64*matrix.Epsilon[T]()*largest && a < 1e12*b && b < 1e12*a) {
				t.Errorf("%s: factor %d is rounding: max V_k = %.3g, max W_k = %.3g", name, k, a, b)
			}
		}
	}
	for seed := range uint64(20) {
		check(fmt.Sprintf("identity, seed %d", seed), identity, 2, lnmu.Settings{Seed: seed})
		check(fmt.Sprintf("identity without time, seed %d", seed), identity, 2, lnmu.Settings{Seed: seed, TimeLimit: 1})
	}
	seeds := uint64(15)
	if os.Getenv("NMU_FULL") != "" {
		seeds = 60
	}
	for _, shape := range [][3]int{{12, 9, 3}, {9, 12, 3}, {40, 30, 5}} {
		for seed := range seeds {
			m := structured[T](shape[0], shape[1], shape[2], seed)
			check(fmt.Sprintf("structured %d x %d, seed %d", m.Rows, m.Cols, seed), m, min(6, shape[0], shape[1]), lnmu.Settings{Iterations: 60, Seed: seed})
		}
	}
}

// TestL1Faces is the same on the faces, where the error of the norm l2, which is
// not what is minimised, does not rise either.
func TestL1Faces(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("a long run: with NMU_FULL only")
	}
	m := faces(t)
	res := must.Get(lnmu.Factor(t.Context(), m, 10, lnmu.RNMU{Norm: lnmu.L1}, &lnmu.Settings{Iterations: 20, Restarts: 1}))(t)
	for k, b := range res.Blocks[1:] {
		if last := res.Blocks[k]; !(b.Error <= last.Error) || !(b.L1 <= last.L1) {
			t.Errorf("the error rises at rank %d: from %v to %v, l1 from %v to %v", b.Rank, last.Error, b.Error, last.L1, b.L1)
		}
	}
}

// sortedMedian is the smallest x such that those up to it have half of all weight.
func sortedMedian(x, weight []float64, half float64) float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	var sum float64
	for _, i := range order {
		if sum += weight[i]; sum >= half {
			return x[i]
		}
	}
	return x[order[len(order)-1]]
}
