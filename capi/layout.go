package main

// layout says where the entries of a rows x cols matrix lie: entry (i, j) is element
// i*down + j*across from the first entry.
type layout struct {
	rows, cols   int64
	down, across int64
}

// fits says whether elements of so many bytes, the first at an address, lie within space, at most 2^53, bytes that do not
// wrap around, and whether a copy has room there. Numbers of bytes are exact as far as they are compared.
func (l layout) fits(space, first, size uint64) bool {
	before, behind := 0.0, float64(size) // the first entry
	for _, reach := range []float64{float64(l.rows-1) * float64(l.down), float64(l.cols-1) * float64(l.across)} {
		before -= min(reach*float64(size), 0)
		behind += max(reach*float64(size), 0)
	}
	return float64(l.rows)*float64(l.cols)*float64(size) <= float64(space) && before+behind <= float64(space) &&
		uint64(before) <= first && uint64(behind)-1 <= uint64(^uintptr(0))-first
}
