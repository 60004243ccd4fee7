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
