package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
