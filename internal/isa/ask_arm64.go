//go:build !purego && (linux || darwin)

package isa

// canAsk: cpuid learns of ASIMD from HWCAP on Linux, from sysctl on macOS.
const canAsk = true
