package checkasm

import (
	"testing"

	"nmu/internal/kernels"
)

// TestShortWays checks that in the short form every shape is at both places, one of them the end
// of a page, and has both classes of values, and that two shapes in turn have all pairs.
func TestShortWays(t *testing.T) {
	for _, k := range kernels.All[float64]() {
		h := harness[float64]{t: t, k: k, effort: Short}
		pairs := map[way]bool{}
		for i, shape := range k.Shapes {
			if h.muchWork(shape) {
				continue
			}
			places, values := map[Place]bool{}, map[Values]bool{}
			for _, w := range h.ways(i, shape) {
				places[w.place], values[w.values] = true, true
				pairs[w] = true
			}
			if !places[End] || len(places) != 2 || !values[Signed] || !values[NonFinite] {
				t.Errorf("%s, shape %v: the places %v, the values %v", k.Name, shape, places, values)
			}
		}
		if len(pairs) != 4 {
			t.Errorf("%s: %d pairs of a place and a class of values, want 4", k.Name, len(pairs))
		}
	}
}
