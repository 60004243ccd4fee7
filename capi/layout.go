package main

import "math/bits"

// layout says where the entries of a rows x cols matrix lie: entry (i, j) is element
// i*down + j*across from the first entry.
type layout struct {
	rows, cols   int64
	down, across int64
}

// fits says whether elements of so many bytes, the first at an address, lie within space
// bytes that do not wrap around, and whether a copy has room there.
func (l layout) fits(space, first, size uint64) bool {
	before, behind := uint64(0), size // the first entry
	for _, d := range []struct{ count, stride int64 }{{l.rows, l.down}, {l.cols, l.across}} {
		reach, ok := product(uint64(d.count-1), magnitude(d.stride), size)
		switch {
		case !ok || reach > space:
			return false
		case d.stride < 0:
			before += reach
		default:
			behind += reach
		}
	}
	copied, ok := product(uint64(l.rows), uint64(l.cols), size)
	return ok && copied <= space && before+behind <= space && before <= first && behind-1 <= uint64(^uintptr(0))-first
}

// product returns a b c, unless it overflows.
func product(a, b, c uint64) (p uint64, ok bool) {
	hi, p := bits.Mul64(a, b)
	more, p := bits.Mul64(p, c)
	return p, hi|more == 0
}

// magnitude returns |x|, also of the least number.
func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}
