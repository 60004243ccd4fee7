package checkasm

import (
	"slices"
	"testing"

	"nmu/internal/checkasm/planted"
	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// TestQuickShapes checks that Quick takes few shapes of each kernel, but all of much work and every
// variant.
func TestQuickShapes(t *testing.T) {
	for _, k := range kernels.All[float32]() {
		h := harness[float32]{t: t, k: k, effort: Quick}
		taken, variants, much := h.shapes(), map[int]bool{}, 0
		for _, shape := range taken {
			variants[shape[len(shape)-1]] = true
			if h.muchWork(shape) {
				much++
			}
		}
		if n := len(taken) - much; n > quickShapes+k.Variants || n < min(quickShapes, len(k.Shapes)-much) {
			t.Errorf("%s: Quick takes %d shapes without much work of %d", k.Name, n, len(k.Shapes))
		}
		for _, shape := range k.Shapes {
			if h.muchWork(shape) && !slices.ContainsFunc(taken, func(s []int) bool { return slices.Equal(s, shape) }) {
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

// TestQuickFinds checks that Quick finds planted faults, among them broken shapes.
func TestQuickFinds(t *testing.T) {
	for _, f := range []planted.Fault{planted.ShortTail, planted.WriteInput, planted.Unfused, planted.Unchecked, planted.Overcautious} {
		for _, level := range isa.Available() {
			r := recordOf(t, func(r *recorder) { Check(r, axpy(f), Quick, level) })
			if len(r.errors) == 0 {
				t.Errorf("fault %d at level %v was not found", f, level)
			}
		}
	}
}
