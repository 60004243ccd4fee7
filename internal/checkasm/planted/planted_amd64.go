//go:build !purego

package planted

import "nmu/internal/isa"

//go:noescape
func axpyAVX2(a float64, x, y *float64, n int)

//go:noescape
func axpyAVX512(a float64, x, y *float64, n int)

func dirtyYMM()
func dirtyZMM()

func axpyArch(a float64, x, y *float64, n int) bool {
	switch isa.Active() {
	case isa.AVX512:
		axpyAVX512(a, x, y, n)
		return true
	case isa.AVX2:
		axpyAVX2(a, x, y, n)
		return true
	}
	return false
}

func leaveDirty(l isa.Level) {
	switch l {
	case isa.AVX512:
		dirtyZMM()
	case isa.AVX2:
		dirtyYMM()
	}
}
