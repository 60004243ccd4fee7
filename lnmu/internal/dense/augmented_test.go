package dense

import (
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/source"
)

// TestAugmentedFixedPoint checks what the iterations settle at: V W <= M, and with the
// multipliers Λ = -ρ G the conditions of Karush, Kuhn and Tucker.
func TestAugmentedFixedPoint(t *testing.T) {
	const rho = 4
	for _, shape := range [][2]int{{40, 24}, {24, 40}} {
		m := matrix.New[float64](shape[0], shape[1], nil)
		for i := range m.Rows {
			for j := range m.Cols {
				m.Row(i)[j] = float64(1 + (i/8+j/8)%2*3 + (i+j)%3)
			}
		}
		l := newLayout[float64](nil, m.Rows, m.Cols, group.ForRows(group.Self{}, max(m.Rows, m.Cols)), team.New(1))
		l.m = source.Whole(m).Arrange(!l.tall)
		sol := newSolver(l, 1)
		sol.n = kernel.NewMatrix[float64](l.rows, l.cols)
		sol.Reset()
		v, w := drawn(m.Rows, m.Cols, 1, 3)
		sol.Take(v, w, 0)
		sol.Scale()
		a := sol.newAugmented(1)
		for k := 1; k <= 4000; k++ {
			a.Keep(0, min(rho, float64(int(1)<<min(k/10, 2)))) // as package method raises it
			if !a.Step(1, true, true) {
				t.Fatal("vanished")
			}
			a.Update(1)
		}
		must.AtMost(t, math.Sqrt(a.Primal()), 1e-6, shape, "the primal residual")
		// The gradient of the Lagrangian, -G Wᵀ and -Vᵀ G, is zero where the factor is
		// positive and nonnegative elsewhere. S = ρ max(0, G) is what V W leaves of M.
		h, g := sol.long.X.Row(0), sol.short.X.Row(0)
		across := make([]float64, l.cols)
		for i := range l.rows {
			var along float64
			for j, x := range sol.n.Row(i) {
				along += x * g[j]
				across[j] += x * h[i]
				if s := rho * max(0, x); math.Abs(l.m.Row(i)[j]-h[i]*g[j]-s) > 1e-6 {
					t.Fatalf("%v: S[%d,%d] = %v, M - V W = %v", shape, i, j, s, l.m.Row(i)[j]-h[i]*g[j])
				}
			}
			if along > 1e-5 || h[i] > 1e-9 && along < -1e-5 {
				t.Errorf("%v: row %d: %v at a factor of %v", shape, i, along, h[i])
			}
		}
		for j, x := range across {
			if x > 1e-5 || g[j] > 1e-9 && x < -1e-5 {
				t.Errorf("%v: column %d: %v at a factor of %v", shape, j, x, g[j])
			}
		}
		l.Close()
	}
}
