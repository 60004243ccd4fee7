//go:build !purego

package isa

import "github.com/klauspost/cpuid/v2"

// detect lists the levels of an arm64 machine. Where cpuid has no way to ask
// (neither Linux nor macOS) NEON is assumed: Go's own arm64 port requires it.
func detect() []Level {
	if cpuid.CPU.Supports(cpuid.ASIMD) || !canAsk {
		return []Level{Generic, NEON}
	}
	return []Level{Generic}
}
