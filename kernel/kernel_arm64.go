//go:build !purego

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// The tables of bodies, of which each body in assembly fills in its field.
var neonF64, neonF32 bodies

var neon = level{
	tiles: tiles{
		vector: 16, outerHeight: 6, outerVectors: 4, sweepVectors: 12,
		contractRows: 4, contractHeight: 3, laneBytes: 2 * lanesNEON,
		panelHeight: 8, panelWidth: 48, gatherUnit: 64, gatherWhole: 4 * 64, gatherPart: 7 * 16,
	},
	f64: &neonF64, f32: &neonF32,
}

// lanesNEON is the bytes of accumulators of a contraction: the lanes of two rows of X, or half of those of four.
const lanesNEON = 24 * 16

const (
	copied = 1 // NEON has no masks: the last columns are copied
	pairs  = 0 // groups are of four
)

// levelOf returns the assembly of a level, or generic if there is none.
func levelOf(l isa.Level) *level {
	if l == isa.NEON {
		return &neon
	}
	return &generic
}

// call calls a body with its arguments.
//
//go:noescape
func call(args unsafe.Pointer, body uintptr)
