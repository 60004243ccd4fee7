//go:build !purego && (amd64 || arm64)

package kernel_test

import (
	"os"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/kernel/kerneltest"
)

// TestWorkOfACall checks that no call of assembly, at any level, is so long that
// a garbage collection would wait for it, and that the calls of a kernel together
// do all of its work: that none goes unnoticed here. The shapes take the levels in turn, each precision
// another one. NMU_FULL asks for all levels of each.
func TestWorkOfACall(t *testing.T) {
	if len(isa.Available()) == 1 {
		t.Skip("AVX2 cannot be used on this machine")
	}
	kernel.Both(t, testWorkOfACall[float64], testWorkOfACall[float32])
}

func testWorkOfACall[T kernel.Float](t *testing.T) {
	turn := int(unsafe.Sizeof(T(0)) / 4)
	for _, k := range kerneltest.All[T]() {
		levels := slices.DeleteFunc(slices.Clone(isa.Available()[1:]), func(l isa.Level) bool { return k.BodyOf(l.String()) == "" })
		for i, shape := range k.Large {
			call := k.Call(shape)
			for j, level := range levels {
				if (i+j+turn)%len(levels) != 0 && os.Getenv("NMU_FULL") == "" {
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
				must.AtMost(t, most, kernel.CallWork, k.Name, "at level", level, "shape", shape, "a call of")
				// More than once only at the edges of tiles and for long rows.
				if least := k.Work(shape); all < least || all > 2*least {
					t.Errorf("%s at level %v, shape %v: %d calls do %d, the kernel %d", k.Name, level, shape, calls, all, least)
				}
			}
		}
	}
}
