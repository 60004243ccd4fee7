package agreement

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// best returns the largest sum over all ways to match rows k, k+1, ... of the first r
// with columns that are not taken.
func best(c kernel.Matrix[float64], r, k int, taken []bool) float64 {
	if k == r {
		return 0
	}
	most := math.Inf(-1)
	for l := range r {
		if !taken[l] {
			taken[l] = true
			most = max(most, c.At(k, l)+best(c, r, k+1, taken))
			taken[l] = false
		}
	}
	return most
}

// The assignment is the best of all, with ties and of the first rows and columns alone.
func TestAssign(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n := 1 + trial%7
		c := matrix.New[float64](n, n, nil)
		for x := range c.Data {
			c.Data[x] = rng.Float64()
			if trial%3 == 0 {
				c.Data[x] = float64(rng.IntN(3)) / 2
			}
		}
		r := 1 + rng.IntN(n)
		of := Assign(c, r)
		seen := slices.Sorted(slices.Values(of))
		var sum float64
		for k, l := range of {
			sum += c.At(k, l)
			if seen[k] != k {
				t.Fatalf("%v is no permutation", of)
			}
		}
		if want := best(c, r, 0, make([]bool, r)); math.Abs(sum-want) > 1e-12 {
			t.Errorf("%d of %d: sum %v, want %v: %v", r, n, sum, want, c)
		}
	}
}

// Factors in another order and of another length are the same; the mean cosine of
// others is that of hand calculation.
func TestLikeness(t *testing.T) {
	v := matrix.New(3, 2, []float64{
		3, 0,
		4, 0,
		0, 2,
	})
	same := matrix.New(3, 2, []float64{
		0, 6,
		0, 8,
		1e-300, 0,
	})
	other := matrix.New(3, 2, []float64{ // cosines with the first column of v: 0.6 and 0.8
		1, 0,
		0, 5,
		0, 0,
	})
	zero := matrix.New[float64](3, 2, nil)
	for _, c := range []struct {
		name string
		a, b kernel.Matrix[float64]
		want float64
	}{
		{"itself", v, v, 1}, {"permuted", v, same, 1}, {"other", v, other, 0.4},
		{"zero", v, zero, 0}, {"both zero", zero, zero, 1},
	} {
		for _, pair := range [2][2]kernel.Matrix[float64]{{c.a, c.b}, {c.b, c.a}} {
			must.AtMost(t, math.Abs(Likeness(Cosines(Directions(pair[0]), Directions(pair[1])), 2)-c.want), 1e-15, c.name)
		}
	}
}
