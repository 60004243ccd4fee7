package prior

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
)

// TestSmoothnessIsAMinimum checks the conditions of optimality of the problem that Priors
// state, for given products: with the derivative of D, and where absolute values are
// rounded off below leastJump of the largest entry, of that.
func TestSmoothnessIsAMinimum(t *testing.T) {
	const height, width = 9, 14
	rng := rand.New(rand.NewPCG(1, 2))
	tm := team.New(2)
	defer tm.Close()
	for _, absolute := range []bool{false, true} {
		for _, weight := range []float64{0.02, 0.3, 4} {
			p := core.Prior{Penalty: 0.1, Smooth: weight, Height: height, Width: width, Absolute: absolute}
			s := New[float64](tm, p)
			a, b := kernel.NewMatrix[float64](1, height*width), kernel.NewMatrix[float64](1, 1)
			b.Data[0] = 6.25 // the other factor has the norm 2.5
			y := make([]float64, height*width)
			for i := range y {
				y[i] = rng.Float64() - 0.2
				if i%width > width/2 {
					y[i] += 1
				}
			}
			x := make([]float64, height*width)
			for range 6000 {
				for i := range y {
					a.Data[i] = 2.5 * y[i]
				}
				s.Renew(x, a, b)
			}
			for i := range x { // as v, where v w is x times a vector of norm 1
				x[i] *= 2.5
			}
			most := kernel.Max(x)
			for i := range x {
				slope := x[i] - y[i] + s.lambda
				for _, next := range neighbours(i, height, width) {
					d := x[i] - x[next]
					if absolute {
						d = most * d / max(math.Abs(d), leastJump*most)
					}
					slope += weight * d
				}
				if x[i] > 0 && math.Abs(slope) > 1e-6 || slope < -1e-6 {
					t.Fatalf("absolute %v, weight %v: pixel %d is %v, the derivative is %v", absolute, weight, i, x[i], slope)
				}
			}
		}
	}
}

func neighbours(i, height, width int) []int {
	var list []int
	y, x := i/width, i%width
	for _, n := range [][2]int{{y - 1, x}, {y + 1, x}, {y, x - 1}, {y, x + 1}} {
		if n[0] >= 0 && n[0] < height && n[1] >= 0 && n[1] < width {
			list = append(list, n[0]*width+n[1])
		}
	}
	return list
}
