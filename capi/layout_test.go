package main

import (
	"math"
	"testing"
)

// TestLayoutFits: what reaches beyond the address space of 32 or of 64 bits, wraps around
// or has no room for a copy does not fit, and all else does.
func TestLayoutFits(t *testing.T) {
	const small, large = 1<<31 - 1, 1 << 48
	for _, c := range []struct {
		name               string
		l                  layout
		space, first, size uint64
		want               bool
	}{
		{"by rows", layout{5, 4, 4, 1}, large, 64, 8, true},
		{"backwards", layout{5, 4, -4, -1}, large, 19 * 8, 8, true},
		{"before address 0", layout{5, 4, -4, -1}, large, 18 * 8, 8, false},
		{"one entry with any strides", layout{1, 1, math.MinInt64, math.MaxInt64}, small, 64, 8, true},
		{"a row with any stride", layout{1, 4, math.MaxInt64, 1}, small, 64, 8, true},
		{"strides of 1e17", layout{5, 4, 1e17, 1}, large, 64, 8, false},
		{"strides of -1e17", layout{5, 4, 1, -1e17}, large, 1 << 60, 8, false},
		{"the least stride", layout{2, 2, math.MinInt64, 1}, large, 1 << 40, 8, false},
		{"a product of 2^64", layout{1<<31 + 1, 2, 1 << 30, 1}, large, 64, 8, false},
		{"all of the space", layout{1 << 22, 2, 1 << 23, (1 << 23) - 1}, large, 64, 8, true},
		{"an element more", layout{1 << 22, 2, 1 << 23, 1 << 23}, large, 64, 8, false},
		{"both strides half of the space", layout{2, 2, 1 << 44, -(1 << 44)}, large, 1 << 47, 8, false},
		{"no room for a copy", layout{1 << 24, 1 << 24, 0, 0}, large, 64, 8, false},
		{"room for a copy", layout{1 << 24, 1 << 21, 0, 0}, large, 64, 8, true},
		{"all of 32 bits", layout{1<<28 - 1, 1, 1, 1}, small, 64, 8, true},
		{"more than 32 bits", layout{1 << 28, 1, 1, 1}, small, 64, 8, false},
		{"bytes of 32 bits", layout{1<<31 - 1, 1, 1, 0}, small, 64, 1, true},
		{"the end of the addresses", layout{2, 2, 2, 1}, large, uint64(^uintptr(0)) - 31, 8, true},
		{"wraps around", layout{2, 2, 2, 1}, large, uint64(^uintptr(0)) - 30, 8, false},
	} {
		if got := c.l.fits(c.space, c.first, c.size); got != c.want {
			t.Errorf("%s: %+v from %#x on in %#x bytes: %v, want %v", c.name, c.l, c.first, c.space, got, c.want)
		}
	}
}
