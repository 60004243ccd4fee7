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

// settings are the bits of MXCSR: RC in bits 13 and 14, FTZ and DAZ.
var settings = []uint64{Up: 2 << 13, Down: 1 << 13, Truncate: 3 << 13, Flush: 1<<15 | 1<<6}

func control() uint64
func setControl(x uint64)
