package sparse

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
)

// TestAddEntries compares the sums of a residual with those that a branch by its sign gives.
func TestAddEntries(t *testing.T) {
	t.Run("float64", testAddEntries[float64])
	t.Run("float32", testAddEntries[float32])
}

func testAddEntries[T kernel.Float](t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, length := range []int{0, 1, 2, 300} {
		for _, all := range []bool{false, true} {
			draw := func() []T {
				x := make([]T, length)
				for i := range x {
					x[i] = T(random.Float64())
				}
				return x
			}
			m, given, p := draw(), draw(), draw()
			if length > 1 {
				m[0], p[0] = 0, 0 // neither side of 0
			}
			var n []T
			if all {
				n = draw()
			}
			got := entriesResidual{squares: 1, product: 2, across: 3, within: 4, excess: 5, least: -0.25}
			want := got
			addEntries(&got, m, given, n, p)
			for i, x := range p {
				e := m[i] - x
				model := given[i] - e
				want.squares += float64(float64(e) * float64(e))
				want.product += float64(float64(model) * float64(model))
				if all {
					want.across += float64(float64(n[i]) * float64(x))
				}
				want.within += float64(float64(x) * float64(x))
				if e < 0 {
					want.excess += float64(float64(e) * float64(e))
					want.least = math.Min(want.least, float64(e))
				}
			}
			must.Equal(t, got, want, length, "entries: sums")
		}
	}
}
