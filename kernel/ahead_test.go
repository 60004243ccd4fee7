package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAccumulateAhead checks that the result is that of Accumulate with N and M, with one of them
// and with none, for few and many panels of C, and for strides that differ.
func TestAccumulateAhead(t *testing.T) {
	EveryLevel(t, testAccumulateAhead[float64], testAccumulateAhead[float32])
}

func testAccumulateAhead[T Float](t *testing.T) {
	const p, q = 9, 101
	rng := rand.New(rand.NewPCG(3, 0))
	none := Matrix[T]{}
	x, next := random[T](rng, p, q), random[T](rng, p, 2*q)
	for _, r := range []int{1, 8, 17, 49} {
		vt, start := random[T](rng, r, p), random[T](rng, r, q)
		want := clone(start)
		Accumulate(want, vt, x)
		for i, ahead := range [][2]Matrix[T]{{none, none}, {x, none}, {none, x}, {x, next.Slice(0, p, q, 2*q)}} {
			c := clone(start)
			AccumulateAhead(c, vt, x, ahead[0], ahead[1])
			for k := range r {
				if !slices.Equal(c.Row(k), want.Row(k)) {
					t.Errorf("r = %d, case %d: row %d differs", r, i, k)
				}
			}
		}
	}
}

func clone[T Float](m Matrix[T]) Matrix[T] {
	c := NewMatrix[T](m.Rows, m.Cols)
	for i := range m.Rows {
		copy(c.Row(i), m.Row(i))
	}
	return c
}
