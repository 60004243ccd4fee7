package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFMA32 compares the float32 multiply-add with exact arithmetic.
func TestFMA32(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	value := func() float32 {
		// Few exponents, so that cancellation and ties are common.
		f := math.Float32frombits(rng.Uint32()&0x807fffff | (100+rng.Uint32N(50))<<23)
		switch rng.IntN(8) {
		case 0:
			f = float32(int(f*8)) / 4
		case 1:
			f = math.Float32frombits(math.Float32bits(f) &^ 0xfff)
		case 2:
			f *= 0x1p-100
		}
		return f
	}
	exact := func(f float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(f)) }
	for range 300000 {
		a, b, c := value(), value(), value()
		if rng.IntN(4) == 0 {
			c = -float32(float64(a) * float64(b)) // cancel all but the rounding
		}
		sum := exact(a)
		sum.Mul(sum, exact(b)).Add(sum, exact(c))
		want, _ := sum.Float32()
		if got := fma32(a, b, c); got != want {
			t.Fatalf("seed %d: fma32(%b, %b, %b) = %b, want %b", seed, a, b, c, got, want)
		}
	}
}

func random[T Float](rng *rand.Rand, rows, cols int) Matrix[T] {
	m := NewMatrix[T](rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = T(max(0, rng.Float64()-0.2))
		}
	}
	return m
}

// TestRankOneIsRankR checks that the fused rank-one pass has the bits of the
// kernels of rank r that it fuses.
func TestRankOneIsRankR(t *testing.T) {
	Both(t, testRankOneIsRankR[float64], testRankOneIsRankR[float32])
}

func testRankOneIsRankR[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for _, when := range []When{Never, Before, After} {
		const p, q = 13, 37
		m, n := random[T](rng, p, q), random[T](rng, p, q)
		vt, w := random[T](rng, 1, p), random[T](rng, 1, q)
		b, inv := NewMatrix[T](1, 1), make([]T, 1)
		Gram(b, w)
		Reciprocals(inv, b)
		const mu = 0.3

		fused, v, acc := random[T](rng, p, q), append([]T(nil), vt.Row(0)...), make([]T, q)
		copyRows(fused, n)
		vv := RankOne(acc, v, fused, w.Row(0), inv[0], 0, Multiplier[T]{When: when, M: m, Mu: mu})

		update := func() {
			updated, pr := NewMatrix[T](p, q), NewMatrix[T](p, q)
			Product(pr, vt, w)
			copyRows(updated, n)
			UpdateMultiplier(updated, m, pr, mu)
			UpdateMultiplierProduct(n, m, vt, w, mu)
			for i := range p {
				if !slices.Equal(n.Row(i), updated.Row(i)) {
					t.Errorf("when %d: row %d of UpdateMultiplierProduct is not that of Product and UpdateMultiplier", when, i)
				}
			}
		}
		if when == Before {
			update()
		}
		a, c, d := NewMatrix[T](1, p), NewMatrix[T](1, q), T(0)
		Contract(a, n, w)
		Sweep(vt, a, b, inv, 0, Matrix[T]{})
		if when == After {
			update()
		}
		Accumulate(c, vt, n)
		for _, x := range vt.Row(0) {
			d = fma(x, x, d)
		}
		if vv != d || !slices.Equal(v, vt.Row(0)) || !slices.Equal(acc, c.Row(0)) {
			t.Errorf("when %d: v, acc or vv differ", when)
		}
		for i := range p {
			if !slices.Equal(fused.Row(i), n.Row(i)) {
				t.Errorf("when %d: row %d of N differs", when, i)
			}
		}
	}
}
