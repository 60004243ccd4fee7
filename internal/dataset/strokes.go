package dataset

import "math/rand/v2"

// Constants of Strokes.
const (
	strokesHeight = 20
	strokesWidth  = 14
	strokesWide   = 1.2 // half the width of a stroke, in pixels
)

// strokes are the seven strokes of a digit, as lines between points y, x of a 2 x 1 field.
var strokes = [7][2][2]float64{
	{{0, 0}, {0, 1}}, // top
	{{0, 0}, {1, 0}}, // upper left
	{{0, 1}, {1, 1}}, // upper right
	{{1, 0}, {1, 1}}, // middle
	{{1, 0}, {2, 0}}, // lower left
	{{1, 1}, {2, 1}}, // lower right
	{{2, 0}, {2, 1}}, // bottom
}

// strokesOf are the strokes of each digit.
var strokesOf = [10][]int{
	{0, 1, 2, 4, 5, 6}, {2, 5}, {0, 2, 3, 4, 6}, {0, 2, 3, 5, 6}, {1, 2, 3, 5},
	{0, 1, 3, 5, 6}, {0, 1, 3, 4, 5, 6}, {0, 2, 5}, {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 5, 6},
}

// StrokeNames are the names of the seven strokes.
var StrokeNames = []string{"top", "upper left", "upper right", "middle", "lower left", "lower right", "bottom"}

// Strokes returns images of 20 x 14 pixels of digits that are drawn by hand in seven strokes,
// as on a pocket calculator. Column 10 i + d shows the digit d for the i-th time. The ends of
// the strokes are off by up to half a pixel, and the ink is up to a quarter paler. The entries
// are in [0, 1].
func Strokes(times int, seed uint64) Set {
	s := newSet("strokes", strokesHeight, strokesWidth, 10*times)
	for j := range s.Cols {
		rng := stream(seed, uint64(j))
		for _, k := range strokesOf[j%10] {
			a, b := strokeEnd(rng, strokes[k][0]), strokeEnd(rng, strokes[k][1])
			ink := between(rng, 0.75, 1)
			for x := range strokesWidth {
				for y := range strokesHeight {
					at := &s.Data[(y+strokesHeight*x)*s.Cols+j]
					*at = max(*at, ink*ramp(strokesWide+0.5-distanceTo(float64(y), float64(x), a, b)))
				}
			}
		}
	}
	return s
}

// strokeEnd returns a point of the field in pixels, with a random offset.
func strokeEnd(rng *rand.Rand, at [2]float64) [2]float64 {
	return [2]float64{
		2.5 + float64(7*at[0]) + between(rng, -0.5, 0.5),
		3 + float64(7*at[1]) + between(rng, -0.5, 0.5),
	}
}

// distanceTo returns the distance of the point (y, x) from the line between a and b.
func distanceTo(y, x float64, a, b [2]float64) float64 {
	dy, dx := b[0]-a[0], b[1]-a[1]
	length := float64(dy*dy) + float64(dx*dx)
	t := ramp((float64((y-a[0])*dy) + float64((x-a[1])*dx)) / length)
	return norm2(y-a[0]-float64(t*dy), x-a[1]-float64(t*dx))
}
