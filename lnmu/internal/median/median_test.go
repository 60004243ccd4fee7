package median

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
)

// sortedMedian is weighted by its definition.
func sortedMedian(x, weight []float64, half float64) float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	var sum float64
	for _, i := range order {
		if sum += weight[i]; sum >= half {
			return x[i]
		}
	}
	return x[order[len(order)-1]]
}

// TestWeightedMedian compares with sorting. The weights are whole numbers, so
// that sums are exact in any order.
func TestWeightedMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 20000 {
		n := 1 + rng.IntN(40)
		x, weight := make([]float64, n), make([]float64, n)
		var total float64
		for i := range x {
			x[i] = float64(rng.IntN(12) - 4)
			if rng.IntN(2) == 0 {
				x[i] += rng.Float64()
			}
			if rng.IntN(20) == 0 {
				x[i] = math.Inf(1)
			}
			weight[i] = float64(1 + rng.IntN(5))
			total += weight[i]
		}
		guess := float64(rng.IntN(20) - 6)
		want := sortedMedian(x, weight, total/2)
		if got := weighted(slices.Clone(x), slices.Clone(weight), total/2, guess); got != want {
			t.Fatalf("%v for %v with weights %v and guess %v, want %v", got, x, weight, guess, want)
		}
	}
}

// TestMedianStep checks that a step is the minimum: no ratio, and not zero, does
// better.
func TestMedianStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		n := 1 + rng.IntN(9)
		x, w := make([]float64, n), make([]float64, n)
		for j := range x {
			x[j] = rng.Float64() - 0.3
			w[j] = max(0, rng.Float64()-0.3)
		}
		distance := func(v float64) float64 {
			var sum float64
			for j := range x {
				sum += math.Abs(x[j] - v*w[j])
			}
			return sum
		}
		const before = 7
		v := float64(before)
		NewWork[float64](nil, n).Renew(&v, x, w, kernel.Bits{}, 0)
		if slices.Max(w) == 0 {
			must.Equal(t, v, before, "w = 0: v became")
			continue
		}
		best := distance(0)
		for j := range x {
			if w[j] > 0 && x[j] > 0 {
				best = min(best, distance(x[j]/w[j]))
			}
		}
		if !(v >= 0 && distance(v) <= best+1e-12) {
			t.Errorf("v = %v at distance %v, the least is %v", v, distance(v), best)
		}
	}
}
