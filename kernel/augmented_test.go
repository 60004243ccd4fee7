package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankOneAugmentedIsRankR checks that the fused pass has the bits of the kernels of
// rank r that it fuses.
func TestRankOneAugmentedIsRankR(t *testing.T) {
	Both(t, testRankOneAugmentedIsRankR[float64], testRankOneAugmentedIsRankR[float32])
}

func testRankOneAugmentedIsRankR[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	const p, q = 13, 37
	for _, rho := range []T{0.5, 1, 7} {
		for _, when := range []When{Never, Before, After} {
			m, g, vt, w := random[T](rng, p, q), random[T](rng, p, q), random[T](rng, 1, p), random[T](rng, 1, q)
			for i := range g.Data {
				g.Data[i] -= 0.5
				m.Data[i] -= 0.1
			}
			b, inv := NewMatrix[T](1, 1), make([]T, 1)
			Gram(b, w)
			Reciprocals(inv, b)
			fused := Matrix[T]{Rows: p, Cols: q, Data: slices.Clone(g.Data), Stride: g.Stride}
			v, acc := slices.Clone(vt.Row(0)), make([]T, q)
			vv := RankOneAugmented(acc, v, fused, w.Row(0), inv[0], 0, Augmented[T]{When: when, M: m, Rho: rho})

			n, a, c, d := NewMatrix[T](p, q), NewMatrix[T](1, p), NewMatrix[T](1, q), T(0)
			set := func(update bool) {
				Target(n, g, m, 1, 1-rho)
				if update {
					Product(n, vt, w)
					UpdateAugmented(g, n, m, rho)
				}
			}
			set(when == Before)
			Contract(a, n, w)
			Sweep(vt, a, b, inv, 0, Matrix[T]{})
			set(when == After)
			Accumulate(c, vt, n)
			for _, x := range vt.Row(0) {
				d = fma(x, x, d)
			}
			if vv != d || !slices.Equal(v, vt.Row(0)) || !slices.Equal(acc, c.Row(0)) {
				t.Errorf("ρ = %v, when %d: v, acc or vv differ", rho, when)
			}
			for i := range p {
				if !slices.Equal(fused.Row(i), g.Row(i)) {
					t.Errorf("ρ = %v, when %d: row %d of G differs", rho, when, i)
				}
			}
		}
	}
}

// TestAugmentedIdentities checks an update against the matrices that it does without: G
// is Y - S and the target M - S + G with S = max(0, ρ/(1+ρ) Y).
func TestAugmentedIdentities(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	const p, q = 7, 29
	for _, rho := range []float64{0.25, 1, 3, 100} {
		m, g, n := random[float64](rng, p, q), random[float64](rng, p, q), random[float64](rng, p, q)
		for i := range g.Data {
			g.Data[i] = 2 * (g.Data[i] - 0.5)
			m.Data[i] -= 0.2
		}
		old, product := slices.Clone(g.Data), slices.Clone(n.Data)
		UpdateAugmented(g, n, m, rho)
		rest := NewMatrix[float64](p, q)
		Target(rest, g, m, 0, -rho)
		for i := range p {
			for j := range q {
				at := i*g.Stride + j
				r := max(0, m.Row(i)[j])
				y := old[at] + r - product[at]
				s := max(0, rho/(1+rho)*y)
				for _, c := range []struct {
					name      string
					got, want float64
				}{{"G", g.Row(i)[j], y - s}, {"N", n.Row(i)[j], r - s + y - s}, {"M - S", rest.Row(i)[j], r - s}} {
					if !(math.Abs(c.got-c.want) < 1e-13*(1+rho)) {
						t.Fatalf("ρ = %v: %s[%d,%d] = %v, want %v", rho, c.name, i, j, c.got, c.want)
					}
				}
			}
		}
	}
}
