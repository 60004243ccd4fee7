//go:build !purego && (amd64 || arm64)

package checkasm_test

import (
	"testing"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/internal/checkasm/planted"
	"nmu/internal/isa"
	"nmu/internal/must"
)

// TestThrough: a body begins with junk in its registers, and must keep those that are not its own.
func TestThrough(t *testing.T) {
	if len(isa.Available()) == 1 {
		t.Skip("AVX2 cannot be used on this machine")
	}
	var left [2]uint64
	for i, want := range []bool{false, true} {
		checkasm.Through(&checkasm.Passage{Args: unsafe.Pointer(&left), Body: planted.Bodies[i]})
		must.Equal(t, checkasm.TakeSpoilt(), want, "body", i, "spoilt")
		if left[0] == 0 || left[0] != left[1] {
			t.Errorf("a vector register held %x, want junk", left)
		}
	}
	junk := left
	for range 3 { // the runtime may move memory in between
		if checkasm.WithJunk(func() { planted.Trusting(&left) }); left == junk {
			return
		}
	}
	t.Errorf("with junk a vector register held %x, want %x", left, junk)
}
