package lnmu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/outcome"
)

// TestL1Robust plants large single entries on a matrix of rank one: the l1 norm
// finds it all the same.
func TestL1Robust(t *testing.T) { precisions(t, testL1Robust[float64], testL1Robust[float32]) }

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
		worst := map[lnmu.Choice]float64{}
		for _, norm := range []lnmu.Choice{lnmu.L1, lnmu.L2} {
			method, s := lnmu.RNMU{Norm: norm}, lnmu.Settings{Start: lnmu.Start{Restarts: 2, Seed: 1}, Threads: 1}
			res := must.Get(lnmu.Factor(t.Context(), m, 1, method, &s))(t)
			for i := range m.Rows {
				for j := range m.Cols {
					worst[norm] = max(worst[norm], math.Abs(float64(res.V.At(i, 0))*float64(res.W.At(0, j))/clean(i, j)-1))
				}
			}
			s.Threads = 3
			again, err := lnmu.Factor(t.Context(), m, 1, method, &s)
			if err != nil || factors.SHA256(again.V) != factors.SHA256(res.V) || factors.SHA256(again.W) != factors.SHA256(res.W) {
				t.Errorf("%s: three threads give other bits than one (error %v)", norm, err)
			}
			must.Equal(t, norm == lnmu.L1, res.RelativeL1 > 0, norm, "relative l1 error", res.RelativeL1)
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
	precisions(t, testL1NeverRises[float64], testL1NeverRises[float32])
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
		if len(res.Blocks) == 0 && res.Stop != outcome.StopExact || last != res.RelativeL1 {
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
		check(fmt.Sprintf("identity, seed %d", seed), identity, 2, lnmu.Settings{Start: lnmu.Start{Seed: seed}})
		check(fmt.Sprintf("identity without time, seed %d", seed), identity, 2, lnmu.Settings{Start: lnmu.Start{Seed: seed}, Limits: lnmu.Limits{TimeLimit: 1}})
	}
	seeds := uint64(15)
	if os.Getenv("NMU_FULL") != "" {
		seeds = 60
	}
	for _, shape := range [][3]int{{12, 9, 3}, {9, 12, 3}, {40, 30, 5}} {
		for seed := range seeds {
			m := structured[T](shape[0], shape[1], shape[2], seed)
			check(fmt.Sprintf("structured %d x %d, seed %d", m.Rows, m.Cols, seed), m, min(6, shape[0], shape[1]), lnmu.Settings{Limits: lnmu.Limits{Iterations: 60}, Start: lnmu.Start{Seed: seed}})
		}
	}
}

// TestL1Faces is the same on the faces, where the error of the norm l2, which is
// not what is minimised, does not rise either.
func TestL1Faces(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("a long run: with NMU_FULL only")
	}
	m := readSet[float64](t, "CBCL.mat")
	res := must.Get(lnmu.Factor(t.Context(), m, 10, lnmu.RNMU{Norm: lnmu.L1}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}, Start: lnmu.Start{Restarts: 1}}))(t)
	for k, b := range res.Blocks[1:] {
		if last := res.Blocks[k]; !(b.Error <= last.Error) || !(b.L1 <= last.L1) {
			t.Errorf("the error rises at rank %d: from %v to %v, l1 from %v to %v", b.Rank, last.Error, b.Error, last.L1, b.L1)
		}
	}
}
