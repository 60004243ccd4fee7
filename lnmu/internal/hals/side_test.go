package hals

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// twoSides returns two factors of rank 3, with vectors as rows or as columns, of which the first has 7
// lines.
func twoSides(columns bool) (a, b *Side[float64]) {
	const rank = 3
	rng := rand.New(rand.NewPCG(5, 1))
	sides := [2]Side[float64]{}
	for at, n := range [2]int{7, 5} {
		s := NewSide(group.Self{}, group.Span{To: n}, n, rank, columns, func() kernel.Matrix[float64] {
			if columns {
				return kernel.NewMatrix[float64](n, rank)
			}
			return kernel.NewMatrix[float64](rank, n)
		})
		s.Gram = kernel.NewMatrix[float64](rank, rank)
		for k := range rank {
			x := make([]float64, n)
			for i := range x {
				x[i] = max(0, rng.Float64()-0.2)
			}
			s.Set(k, x)
		}
		sides[at] = s
	}
	SidesOf(&sides[0], &sides[1], false)
	return &sides[0], &sides[1]
}

// vectors returns the vectors of a factor.
func vectors(s *Side[float64]) [][]float64 {
	x := s.X
	if s.Columns {
		x = x.Transposed()
	}
	var all [][]float64
	for k := range x.Rows {
		all = append(all, slices.Clone(x.Row(k)))
	}
	return all
}

// TestSide checks what the methods of a factor do to its vectors, in both layouts.
func TestSide(t *testing.T) {
	for _, columns := range []bool{false, true} {
		// check compares the vectors of a, after a change of fresh factors, with want of their entries.
		check := func(name string, change func(a, b *Side[float64]), want func(k, i int, x [][]float64) float64) {
			a, b := twoSides(columns)
			before := vectors(a)
			change(a, b)
			for k, x := range vectors(a) {
				for i, got := range x {
					must.AtMost(t, math.Abs(got-want(k, i, before)), 1e-15, name, "vectors as columns is", columns, "entry", i, "of vector", k)
				}
			}
		}
		held := func(a, b *Side[float64]) { a.Held, b.Held = group.Span{To: 1}, group.Span{From: 1, To: 2} }
		check("Clear", func(a, b *Side[float64]) { held(a, b); a.Clear() }, func(k, i int, x [][]float64) float64 {
			if k == 0 {
				return x[k][i]
			}
			return 0
		})
		check("ScaleBoth", func(a, b *Side[float64]) { held(a, b); Sides[float64]{a, b}.ScaleBoth(9) }, func(k, i int, x [][]float64) float64 {
			return []float64{1, 9, 3}[k] * x[k][i]
		})
		check("Shift", func(a, _ *Side[float64]) { a.Shift(4) }, func(k, i int, x [][]float64) float64 { return 4 * x[k][i] })
		balance := func(a, b *Side[float64]) {
			Balance(a, b, core.Penalty{L1: 1}, core.Penalty{L1: 1 << 22}, UnevenPenalties, func(int) (a, b Sizes) { return Sizes{Sum: 1}, Sizes{Sum: 1} }, nil)
		}
		even := func(a, b *Side[float64]) {
			for k := range 3 {
				a.Gram.Row(k)[k], b.Gram.Row(k)[k] = 1, 1<<40
			}
			Even(a, b, nil, nil)
		}
		whole := func(k, i int, x [][]float64) float64 { return 1 << 10 * x[k][i] }
		free := func(k, i int, x [][]float64) float64 { return []float64{1, 1, 1 << 10}[k] * x[k][i] }
		check("Balance", balance, whole)
		check("Balance with held vectors", func(a, b *Side[float64]) { held(a, b); balance(a, b) }, free)
		check("Even", even, whole)
		check("Even with held vectors", func(a, b *Side[float64]) { held(a, b); even(a, b) }, free)
		check("Even with a penalty", func(a, b *Side[float64]) { b.Ridge = 1; even(a, b) }, func(k, i int, x [][]float64) float64 { return x[k][i] })
		check("SetSums", func(a, _ *Side[float64]) {
			a.Simplex = Simplices(1, 3)
			a.SetSums()
			if !a.Summed() {
				t.Errorf("vectors as columns is %v: not summed after SetSums", columns)
			}
		}, func(k, i int, x [][]float64) float64 { return x[k][i] / (x[0][i] + x[1][i] + x[2][i]) })
		next := 0.0
		count := func() float64 { next += 1.0 / 16; return next - 1.0/16 }
		check("Redraw", func(a, _ *Side[float64]) { a.Redraw([]int{1}, 3*7, count) }, func(k, i int, x [][]float64) float64 {
			if k != 1 {
				return x[k][i]
			}
			return math.Sqrt(3) * float64(i) / 16
		})
		for _, within := range []bool{false, true} {
			check("Back", func(a, _ *Side[float64]) {
				a.Accelerate(within)
				a.Begin()
				if within {
					a.Keep(0, a.X.Rows)
				}
				a.SetBeta(0.5)
				a.Shift(2)
				if within {
					a.Extrapolate(0, a.X.Rows)
				}
				a.Back(0, a.X.Rows)
				if within && !slices.Equal(a.Before.Data, a.X.Data) {
					t.Errorf("vectors as columns is %v: Back leaves what X is extrapolated from", columns)
				}
			}, func(k, i int, x [][]float64) float64 { return x[k][i] })
		}

		a, _ := twoSides(columns)
		a.KeepSupport()
		zeros := 0
		for i := range a.X.Rows {
			for j, x := range a.X.Row(i) {
				must.Equal(t, x > 0, (a.Mask.Row(i)[j] == 1), "vectors as columns is", columns, "entry", x, "has the mask", a.Mask.Row(i)[j])
				if x < 1e-3*slices.Max(vectors(a)[map[bool]int{false: i, true: j}[columns]]) {
					zeros++
				}
			}
		}
		if got := a.Zeros(); zeros == 0 || got != float64(zeros)/21 {
			t.Errorf("vectors as columns is %v: %v of the entries are negligible, want %d/21", columns, got, zeros)
		}
	}
}
