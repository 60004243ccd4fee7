//go:build !purego

package bench

import (
	"unsafe"

	"nmu/internal/isa"
)

// assemblyLoops are the assembly loops of this architecture.
var assemblyLoops = []loops{{
	level:  isa.AVX2,
	accs64: 12 * 4, fma64: fmaAVX2F64,
	accs32: 12 * 8, fma32: fmaAVX2F32,
	read: readAVX2, copy: copyAVX2,
}, {
	level:  isa.AVX512,
	accs64: 24 * 8, fma64: fmaAVX512F64,
	accs32: 24 * 16, fma32: fmaAVX512F32,
	read: readAVX512, copy: copyAVX512,
}}

// The loops in assembly are fmaGenericF64 with a fused multiply-add for all accumulators of the level, readGeneric and
// copyGeneric.

//go:noescape
func fmaAVX2F64(acc *float64, a, b float64, n int)

//go:noescape
func fmaAVX2F32(acc *float32, a, b float32, n int)

//go:noescape
func fmaAVX512F64(acc *float64, a, b float64, n int)

//go:noescape
func fmaAVX512F32(acc *float32, a, b float32, n int)

//go:noescape
func readAVX2(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

//go:noescape
func readAVX512(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

//go:noescape
func copyAVX2(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)

//go:noescape
func copyAVX512(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
