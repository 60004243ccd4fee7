package matio

import (
	"math"
	"math/bits"
	"unsafe"
)

// mul returns a*b for a, b >= 0 and whether it fits.
func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// plus returns a+b for a, b >= 0, at most math.MaxInt64.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times returns a*b for a, b >= 0, at most math.MaxInt64.
func times(a, b int64) int64 {
	if p, ok := mul(a, b); ok {
		return p
	}
	return math.MaxInt64
}

// sizeOf returns the size of n elements, at most math.MaxInt64.
func sizeOf[E any](n int64) int64 {
	var zero E
	if b, ok := mul(n, int64(unsafe.Sizeof(zero))); ok {
		return b
	}
	return math.MaxInt64
}
