//go:build !purego && (amd64 || arm64)

package checkasm

import (
	"testing"
	"unsafe"

	"nmu/internal/checkasm/planted"
	"nmu/internal/isa"
)

// TestThrough: a body begins with junk in its registers, and must keep those that are not its own.
func TestThrough(t *testing.T) {
	if len(isa.Available()) == 1 {
		t.Skip("AVX2 cannot be used on this machine")
	}
	for i, want := range []bool{false, true} {
		var left [2]uint64
		Through(&Passage{unsafe.Pointer(&left), planted.Bodies[i]})
		if got := takeSpoilt(); got != want {
			t.Errorf("body %d: spoilt %v, want %v", i, got, want)
		}
		if i == 0 && (left[0] == 0 || left[1] == 0) {
			t.Errorf("a vector register held %x, want junk", left)
		}
	}
}
