//go:build !purego

package isa

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

// detect lists the levels of an arm64 machine. On systems other than Linux and macOS cpuid
// cannot ask, and NEON is assumed, because Go's arm64 port requires it.
func detect() []Level {
	if cpuid.CPU.Supports(cpuid.ASIMD) || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return []Level{Generic, NEON}
	}
	return []Level{Generic}
}
