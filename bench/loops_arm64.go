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

// The loops in assembly are fmaGenericF64 with a fused multiply-add for all accumulators of the level, readGeneric and
// copyGeneric.

//go:noescape
func fmaNEONF64(acc *float64, a, b float64, n int)

//go:noescape
func fmaNEONF32(acc *float32, a, b float32, n int)

//go:noescape
func readNEON(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

//go:noescape
func copyNEON(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
