//go:build !purego && !linux && !darwin

package isa

// canAsk: cpuid has no safe way to ask for ASIMD on this system.
const canAsk = false
