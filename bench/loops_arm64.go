//go:build !purego

package bench

import (
	"unsafe"

	"nmu/internal/isa"
)

// assemblyLoops are the assembly loops of this architecture.
var assemblyLoops = []loops{{
	level:  isa.NEON,
	accs64: 24 * 2, fma64: fmaNEONF64,
	accs32: 24 * 4, fma32: fmaNEONF32,
	read: readNEON, copy: copyNEON,
}}

// fmaNEONF64 is acc[i] = a*b + acc[i], n times, for 48 accumulators.
//
//go:noescape
func fmaNEONF64(acc *float64, a, b float64, n int)

// fmaNEONF32 is acc[i] = a*b + acc[i], n times, for 96 accumulators.
//
//go:noescape
func fmaNEONF32(acc *float32, a, b float32, n int)

// readNEON is readGeneric with 32-byte loads of register pairs.
//
//go:noescape
func readNEON(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

// copyNEON is copyGeneric with 32-byte loads and stores of register pairs.
//
//go:noescape
func copyNEON(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
