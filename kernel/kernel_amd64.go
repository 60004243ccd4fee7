//go:build !purego

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// The tables of bodies, of which each body in assembly fills in its field.
var avx512F64, avx512F32, avx2F64, avx2F32 bodies

var avx512 = level{
	tiles: tiles{
		vector: 64, outerHeight: 8, outerVectors: 3, sweepVectors: 8,
		contractRows: 4, contractHeight: 6, laneBytes: lanesAVX512,
		panelHeight: 8, panelWidth: 192, gatherUnit: 64, gatherWhole: 8 * 64, gatherPart: 4 * 64, ratioGroups: 8,
	},
	f64: &avx512F64, f32: &avx512F32, shorter: &avx2,
}

var avx2 = level{
	tiles: tiles{
		vector: 32, outerHeight: 4, outerVectors: 3, sweepVectors: 8,
		contractRows: 2, contractHeight: 3, laneBytes: lanesAVX2,
		panelHeight: 4, panelWidth: 96, gatherUnit: 32, gatherWhole: 8 * 32, gatherPart: 4 * 32, ratioGroups: 8,
	},
	f64: &avx2F64, f32: &avx2F32,
}

// bytes of accumulators of a contraction
const (
	lanesAVX2   = 12 * 32
	lanesAVX512 = 24 * 64
)

const (
	copied = 0         // masks take the last columns
	pairs  = stepPairs // augRankOne has no groups of four
)

// levelOf returns the assembly of a level, or generic if there is none.
func levelOf(l isa.Level) *level {
	switch l {
	case isa.AVX512:
		return &avx512
	case isa.AVX2:
		return &avx2
	}
	return &generic
}

// call calls a body with its arguments.
//
//go:noescape
func call(args unsafe.Pointer, body uintptr)
