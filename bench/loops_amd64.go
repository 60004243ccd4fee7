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

// fmaAVX2F64 is acc[i] = a*b + acc[i], n times, for 48 accumulators.
//
//go:noescape
func fmaAVX2F64(acc *float64, a, b float64, n int)

// fmaAVX2F32 is acc[i] = a*b + acc[i], n times, for 96 accumulators.
//
//go:noescape
func fmaAVX2F32(acc *float32, a, b float32, n int)

// fmaAVX512F64 is acc[i] = a*b + acc[i], n times, for 192 accumulators.
//
//go:noescape
func fmaAVX512F64(acc *float64, a, b float64, n int)

// fmaAVX512F32 is acc[i] = a*b + acc[i], n times, for 384 accumulators.
//
//go:noescape
func fmaAVX512F32(acc *float32, a, b float32, n int)

// readAVX2 is readGeneric with 32-byte loads.
//
//go:noescape
func readAVX2(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

// readAVX512 is readGeneric with 64-byte loads.
//
//go:noescape
func readAVX512(x *[8]uint64, p unsafe.Pointer, stride, step uintptr, count, passes int)

// copyAVX2 is copyGeneric with 32-byte loads and stores.
//
//go:noescape
func copyAVX2(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)

// copyAVX512 is copyGeneric with 64-byte loads and stores.
//
//go:noescape
func copyAVX512(dst, src unsafe.Pointer, stride, step uintptr, count, passes int)
