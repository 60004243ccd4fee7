package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
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
		switch rng.IntN(8) {
		case 0, 1:
			c = -float32(float64(a) * float64(b)) // cancel all but the rounding
		case 2: // nearly half of the least number
			a, b, c = 0x1p-75*(1+0x1p-23), 0x1p-75*(1-0x1p-23), float32(rng.IntN(1<<20))*0x1p-149
		}
		sum := exact(a)
		sum.Mul(sum, exact(b)).Add(sum, exact(c))
		want, _ := sum.Float32()
		if got := fmaOfSums(a, b, c); got != want {
			t.Fatalf("seed %d: fmaOfSums(%b, %b, %b) = %b, want %b", seed, a, b, c, got, want)
		}
	}
}

// TestFMA64 compares the float64 multiply-add by sums with that by integers: few exponents with
// cancellation and ties, all exponents, and the bounds of its range.
func TestFMA64(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	value := func(exponents, first uint64) float64 {
		f := math.Float64frombits(rng.Uint64()&(1<<63|1<<52-1) | (first+rng.Uint64N(exponents))<<52)
		switch rng.IntN(8) {
		case 0:
			f = math.Float64frombits(math.Float64bits(f) &^ (1<<26 - 1))
		case 1:
			f = math.Float64frombits(math.Float64bits(f) &^ (1<<52 - 1))
		case 2:
			f *= 0x1p-53
		}
		return f
	}
	for i := range 2_000_000 {
		var a, b, c float64
		switch i % 4 {
		case 0, 1:
			a, b, c = value(6, 1020), value(6, 1020), value(110, 960)
		case 2:
			a, b, c = value(2048, 0), value(2048, 0), value(2048, 0)
		default: // near the ends of the range
			a, b = value(8, 500+uint64(rng.IntN(2)*1008)), value(60, 0)
			if rng.IntN(2) == 0 {
				a, b = value(8, 1508), value(8, 1554)
			}
			c = a * b * 0x1p-50
		}
		switch rng.IntN(8) {
		case 0, 1:
			c = -a * b // cancel all but the rounding
		case 2: // near the middle of two numbers
			c = math.Ldexp(a*b, 53+rng.IntN(3)-1)
		case 3:
			a = 0
		case 4: // the upper half of a is 2^512
			a, b = 0x1.fffffffffffffp511, 0x1p512
		}
		got, want := fmaOfSums(a, b, c), math.FMA(a, b, c)
		if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
			t.Fatalf("seed %d: fmaOfSums(%b, %b, %b) = %b, want %b", seed, a, b, c, got, want)
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

// TestPassesAreRankR checks that the fused rank-one passes have the bits of the kernels of
// rank r that they fuse.
func TestPassesAreRankR(t *testing.T) {
	Both(t, testPassesAreRankR[float64], testPassesAreRankR[float32])
}

func testPassesAreRankR[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	const p, q = 13, 37
	const mu = 0.3
	for _, when := range []When{Never, Before, After} {
		m, n := random[T](rng, p, q), random[T](rng, p, q)
		fused := clone(n)
		comparePass(t, rng, when, fused, n, n, func(acc, v, w []T, inv T) T {
			return RankOne(acc, v, fused, w, inv, 0, Multiplier[T]{When: when, M: m, Mu: mu})
		}, func(vt, w Matrix[T], update bool) {
			if !update {
				return
			}
			updated, pr := clone(n), NewMatrix[T](p, q)
			Product(pr, vt, w)
			UpdateMultiplier(updated, m, pr, mu)
			UpdateMultiplierProduct(n, m, vt, w, mu)
			for i := range p {
				must.EqualSlices(t, n.Row(i), updated.Row(i), "when", when, "row", i, "of UpdateMultiplierProduct is not that of Product and UpdateMultiplier")
			}
		})
		for _, rho := range []T{0.5, 1, 7} {
			m, g, n := random[T](rng, p, q), random[T](rng, p, q), NewMatrix[T](p, q)
			for i := range g.Data {
				g.Data[i] -= 0.5
				m.Data[i] -= 0.1
			}
			fused := clone(g)
			comparePass(t, rng, when, fused, g, n, func(acc, v, w []T, inv T) T {
				return RankOneAugmented(acc, v, fused, w, inv, 0, Augmented[T]{When: when, M: m, Rho: rho})
			}, func(vt, w Matrix[T], update bool) {
				Target(n, g, m, 1, 1-rho)
				if update {
					Product(n, vt, w)
					UpdateAugmented(g, n, m, rho)
				}
			})
		}
	}
}

// comparePass compares a pass on fused, N or G, with the kernels on state and the N that form makes of it.
func comparePass[T Float](t *testing.T, rng *rand.Rand, when When, fused, state, n Matrix[T], pass func(acc, v, w []T, inv T) T, form func(vt, w Matrix[T], update bool)) {
	t.Helper()
	vt, w := random[T](rng, 1, n.Rows), random[T](rng, 1, n.Cols)
	b, inv := NewMatrix[T](1, 1), make([]T, 1)
	Gram(b, w)
	Reciprocals(inv, b)
	v, acc := slices.Clone(vt.Row(0)), make([]T, n.Cols)
	vv := pass(acc, v, w.Row(0), inv[0])

	a, c, d := NewMatrix[T](1, n.Rows), NewMatrix[T](1, n.Cols), T(0)
	form(vt, w, when == Before)
	Contract(a, n, w)
	Sweep(vt, a, b, inv, 0, Matrix[T]{})
	form(vt, w, when == After)
	Accumulate(c, vt, n)
	for _, x := range vt.Row(0) {
		d = fma(x, x, d)
	}
	if vv != d || !slices.Equal(v, vt.Row(0)) || !slices.Equal(acc, c.Row(0)) {
		t.Errorf("when %d: v, acc or vv differ", when)
	}
	for i := range n.Rows {
		must.EqualSlices(t, fused.Row(i), state.Row(i), "when", when, "row", i, "of N or G differs")
	}
}

func clone[T Float](m Matrix[T]) Matrix[T] {
	c := NewMatrix[T](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}
