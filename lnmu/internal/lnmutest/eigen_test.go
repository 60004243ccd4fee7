package lnmutest_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/kernel"
	"nmu/lnmu/internal/spectral"
)

func never() bool { return false }

// gram returns X Xᵀ for a random n x (n+3) matrix X.
func gram(n int) kernel.Matrix[float64] {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	x := kernel.NewMatrix[float64](n, n+3)
	for i := range x.Data {
		x.Data[i] = rng.Float64()
	}
	s := kernel.NewMatrix[float64](n, n)
	kernel.Gram(s, x)
	return s
}

// TestDecompose checks S z = θ z and the order of the values.
func TestDecompose(t *testing.T) {
	for _, n := range []int{1, 2, 5, 30} {
		s, e := gram(n), spectral.New(nil, n)
		if !spectral.Decompose(e, s, never) {
			t.Fatal("not done")
		}
		for k := range n {
			if k > 0 && e.Values[k] > e.Values[k-1] {
				t.Errorf("value %d = %v is larger than the one before", k, e.Values[k])
			}
			for i := range n {
				var sum float64
				for j := range n {
					sum += s.Row(i)[j] * e.Vectors[j*n+k]
				}
				if d := math.Abs(sum - e.Values[k]*e.Vectors[i*n+k]); !(d < 1e-13*e.Values[0]) {
					t.Errorf("n = %d: S z = θ z fails by %v for vector %d", n, d, k)
				}
			}
		}
	}
}

// TestDecomposeOver: a decomposition asks often whether it is over, and ends then.
func TestDecomposeOver(t *testing.T) {
	const n = 130
	s, e, asked := gram(n), spectral.New(nil, n), 0
	if !spectral.Decompose(e, s, func() bool { asked++; return false }) || asked < n {
		t.Fatalf("asked %d times", asked)
	}
	for _, most := range []int{0, 1, asked / 2, asked - 1} {
		left := most
		if spectral.Decompose(e, s, func() bool { left--; return left < 0 }) || left != -1 {
			t.Errorf("over after %d asks, asked %d times more", most, -1-left)
		}
	}
}
