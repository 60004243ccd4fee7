//go:build !purego && (amd64 || arm64)

package kernel_test

import (
	"testing"

	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/kernel"
)

// TestWorkOfACall checks that no call of assembly, at any level, is so long that
// a garbage collection would wait for it, and that the calls of a kernel together
// do all of its work: that none goes unnoticed here.
func TestWorkOfACall(t *testing.T) {
	if len(isa.Available()) == 1 {
		t.Skip("AVX2 cannot be used on this machine")
	}
	kernel.Both(t, testWorkOfACall[float64], testWorkOfACall[float32])
}

func testWorkOfACall[T kernel.Float](t *testing.T) {
	for _, k := range kernels.All[T]() {
		for _, shape := range k.Large {
			call := k.Call(shape)
			for _, level := range isa.Available()[1:] {
				if !k.HasBody(level) {
					continue
				}
				calls, most, all := 0, 0, 0 // a row costs time, too: its fold, its division, a cache miss
				restore := isa.Set(level)
				stop := kernel.Watch(func(work, rows int) {
					calls, most, all = calls+1, max(most, work+rows*kernel.RowWork), all+work
				})
				call()
				stop()
				restore()
				if most > kernel.CallWork {
					t.Errorf("%s at level %v, shape %v: a call of %d, rows included, at most %d are allowed", k.Name, level, shape, most, kernel.CallWork)
				}
				// More than once only at the edges of tiles and for long rows.
				if least := k.Work(shape); all < least || all > 2*least {
					t.Errorf("%s at level %v, shape %v: %d calls do %d, the kernel %d", k.Name, level, shape, calls, all, least)
				}
			}
		}
	}
}
