//go:build !purego

package planted

import "nmu/internal/isa"

//go:noescape
func axpyNEON(a float64, x, y *float64, n int)

func axpyArch(a float64, x, y *float64, n int) bool {
	if isa.Active() != isa.NEON {
		return false
	}
	axpyNEON(a, x, y, n)
	return true
}

func leaveDirty(isa.Level) {}

// settings are the bits of FPCR: RMode in bits 22 and 23, FZ.
var settings = []uint64{Up: 1 << 22, Down: 2 << 22, Truncate: 3 << 22, Flush: 1 << 24}

func control() uint64
func setControl(x uint64)
