//go:build !purego

package isa

import "github.com/klauspost/cpuid/v2"

// detect lists the levels that both the CPU and the operating system support:
// cpuid reports AVX2 only if XCR0 enables the YMM state, and AVX-512 only if it
// enables the opmask and ZMM state too. FMA3 and POPCNT need no state of their own.
func detect() []Level {
	l := []Level{Generic}
	if !cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.POPCNT) {
		return l
	}
	l = append(l, AVX2)
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
		l = append(l, AVX512)
	}
	return l
}
