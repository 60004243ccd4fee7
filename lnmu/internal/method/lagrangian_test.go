package method

import (
	"math"
	"testing"
)

// TestGrowth checks the default multipliers of the zeros.
func TestGrowth(t *testing.T) {
	g := growth(0.01, 100)
	for _, c := range []struct {
		k    int
		want float64
	}{{1, 0.01}, {2, 0.01 * math.Pow(100, 1./50)}, {26, 0.1}, {51, 1}, {1 << 30, 1}} {
		if x := g(c.k); !(math.Abs(x-c.want) < 1e-12) {
			t.Errorf("g(%d) = %v, want %v", c.k, x, c.want)
		}
	}
	if g := growth(1, 1); g(1) != 1 || g(2) != 1 {
		t.Error("a constant matrix has g = 1")
	}
	for _, x := range []float64{1, 1.5, 1e3, 1e18, 1e300} {
		for _, n := range []int{1, 2, 7, 120, 100000} {
			if r, want := root(x, n), math.Pow(x, 1/float64(n)); !(math.Abs(r-want) < 1e-13*want) {
				t.Errorf("root(%v, %d) = %v, want %v", x, n, r, want)
			}
		}
	}
}
