package hals

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
)

// TestEvener compares the power of two by which vectors are balanced with the best of all powers.
func TestEvener(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	changed := 0
	for range 3000 {
		size := func() float64 {
			if rng.IntN(3) == 0 {
				return 0
			}
			return math.Exp(60 * (rng.Float64() - 0.5))
		}
		p, q := core.Penalty{L1: size(), L2: size()}, core.Penalty{L1: size(), L2: size()}
		c := evener(p, q, UnevenPenalties)
		if p == (core.Penalty{}) || q == (core.Penalty{}) {
			must.Equal(t, c, 1, p, q, "c")
			continue
		}
		of := func(c float64) float64 { return p.L1*c + p.L2*c*c + q.L1/c + q.L2/c/c }
		least := math.Inf(1)
		for e := -100; e <= 100; e++ {
			least = min(least, of(math.Ldexp(1, e)))
		}
		if f := of(c); c != 1 && !(f <= 3*least) || !(f <= 100*least) || !(f <= of(1)) {
			t.Errorf("%+v, %+v: c is %v with the penalty %v, the least one is %v, and that of 1 is %v", p, q, c, f, least, of(1))
		}
		if c != 1 {
			changed++
		}
	}
	must.AtLeast(t, changed, 500, "of the vectors changed")
	for e := -40; e <= 40; e++ {
		for _, uneven := range []float64{UnevenPenalties, UnevenSquares} {
			p, q := core.Penalty{L1: 3}, core.Penalty{L1: 3 * math.Ldexp(1, e)}
			c := evener(p, q, uneven)
			if left := math.Ldexp(1, e) / c / c; (math.Abs(float64(e)) > math.Log2(uneven)) != (c != 1) || c != 1 && (left < 0.25 || left > 4) {
				t.Errorf("ratio 2^%d, at most %v: c is %v", e, uneven, c)
			}
			must.Equal(t, evener(q, p, uneven)*c, 1, "ratio 2^", e, "at most", uneven, "c is", c, "in the other order")
		}
	}
}

// TestReciprocalsWithRidge checks the reciprocals of a diagonal with an l2 penalty.
func TestReciprocalsWithRidge(t *testing.T) {
	b := kernel.NewMatrix[float32](3, 3)
	b.Row(1)[1], b.Row(2)[2] = 6, math.MaxFloat32
	for _, c := range []struct {
		ridge float32
		want  [3]float32
	}{
		{0, [3]float32{0, 1.0 / 6, 1 / float32(math.MaxFloat32)}}, {2, [3]float32{0.5, 0.125, 1 / float32(math.MaxFloat32)}},
		{math.MaxFloat32, [3]float32{1 / float32(math.MaxFloat32), 1 / float32(math.MaxFloat32), 1 / float32(math.MaxFloat32)}},
	} {
		var inv [3]float32
		if Reciprocals(inv[:], b, c.ridge); inv != c.want {
			t.Errorf("ridge %v: %v, want %v", c.ridge, inv, c.want)
		}
	}
}

// TestOnSimplexWithRidge compares a step with the best of many vectors on the simplex.
func TestOnSimplexWithRidge(t *testing.T) {
	b, a, h := kernel.NewMatrix[float64](2, 2), kernel.NewMatrix[float64](2, 1), kernel.NewMatrix[float64](2, 1)
	b.Row(0)[0], b.Row(0)[1], b.Row(1)[0], b.Row(1)[1] = 4, 1, 1, 3
	a.Row(0)[0], a.Row(1)[0] = 5, 1
	for _, ridge := range []float64{0, 1, 7, 1e6} {
		h.Row(0)[0], h.Row(1)[0] = 0.5, 0.5
		OnSimplex(Simplices(1, 2)[0], h, a, b, ridge)
		f := func(x float64) float64 { // hᵀ(B + ρ I)h - 2 aᵀh
			y := 1 - x
			return (4+ridge)*x*x + 2*x*y + (3+ridge)*y*y - 2*(5*x+y)
		}
		best := 0.0
		for k := range 100001 {
			if x := float64(k) / 100000; f(x) < f(best) {
				best = x
			}
		}
		if x := h.Row(0)[0]; math.Abs(x-best) > 1e-5 || math.Abs(x+h.Row(1)[0]-1) > 1e-15 {
			t.Errorf("ridge %v: h is %v, %v, want %v", ridge, x, h.Row(1)[0], best)
		}
	}
}
