package kerneltest

import (
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/must"
)

// TestQuickShapes checks that Quick takes few shapes of each kernel, but all of much work and every
// variant.
func TestQuickShapes(t *testing.T) {
	for _, k := range All[float32]() {
		h := harness[float32]{k: k, effort: Quick}
		taken, variants, much := h.shapes(), map[int]bool{}, 0
		for _, shape := range taken {
			variants[shape[len(shape)-1]] = true
			if k.Work(shape) > muchWork {
				much++
			}
		}
		if n := len(taken) - much; n > quickShapes+k.Variants || n < min(quickShapes, len(k.Shapes)-much) {
			t.Errorf("%s: Quick takes %d shapes without much work of %d", k.Name, n, len(k.Shapes))
		}
		for _, shape := range k.Shapes {
			if k.Work(shape) > muchWork && !slices.ContainsFunc(taken, func(s []int) bool { return slices.Equal(s, shape) }) {
				t.Errorf("%s: Quick omits the shape %v of much work", k.Name, shape)
			}
		}
		for v := range k.Variants {
			if !variants[v+1] {
				t.Errorf("%s: Quick omits variant %d", k.Name, v+1)
			}
		}
	}
}

// TestShortWays checks that in the short form every shape is at both places, one of them the end
// of a page, and has both classes of values, and that two shapes in turn have all pairs.
func TestShortWays(t *testing.T) {
	for _, k := range All[float64]() {
		h := harness[float64]{k: k, effort: Short}
		pairs := map[way]bool{}
		for i, shape := range k.Shapes {
			if k.Work(shape) > muchWork {
				continue
			}
			places, values := map[place]bool{}, map[checkasm.Values]bool{}
			for _, w := range h.ways(i, shape) {
				places[w.place], values[w.values] = true, true
				pairs[w] = true
			}
			if !places[end] || len(places) != 2 || !values[checkasm.Signed] || !values[checkasm.NonFinite] {
				t.Errorf("%s, shape %v: the places %v, the values %v", k.Name, shape, places, values)
			}
		}
		must.Equal(t, len(pairs), 4, k.Name)
	}
}
