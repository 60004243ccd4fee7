package kernel

import "unsafe"

// rankOne is steps of a rank-one pass over some rows and columns.
type rankOne struct {
	//lint:ignore U1000 only assembly uses it
	copies           [640 * copied]byte // of the last columns
	acc, v, n, w, m  unsafe.Pointer     // m may be nil
	lanes            unsafe.Pointer     // rankOneLanes
	nStride, mStride int
	rows, cols       int
	steps            int
	inv, vv, mu      uint64    // bits; inv is 1 if masked; vv is updated; mu is 1/(1+ρ) if augmented
	part             [4]uint64 // bits of 1-ρ, over and over, if augmented: n is G, and m is always there

	// Where there is a mask:
	den, seen  unsafe.Pointer
	seenStride int
	//lint:ignore U1000 only assembly reads and writes them
	left, mRow, nRow, seenRow, vAt, group, inner, masks int
}

// rankOneLanes are the lanes of four rows of a rank-one pass, and with a mask those of
// two sums of each.
type rankOneLanes [4 * 2 * contractionBytes]byte

// The steps of a rank-one pass on each group of its rows:
//
//	stepDot  lanes of n[i]·w, after the update if updateDot; from r.lanes if stepResume, and put there if
//	         stepSuspend, else v[i] = project(sum of lanes, inv), unless inv = 0, and vv = fma(v[i], v[i], vv)
//	stepAdd  acc = fma(v[i], n[i], acc), after the update if updateAdd
//
// Several calls with some of the columns each make up a pass over long rows. With a mask the sums are over the
// entries that are seen, without vv: stepDot has lanes of w[j]² too, and v[i] = project(sum of the first, 1/sum of
// the second), unless that is 0 or infinite; stepAdd also adds v[i]² to den. inv is 1.
const (
	stepDot     = 1 << iota // v from n·w
	stepAdd                 // acc += v n
	updateDot               // the multiplier update goes before the dot product
	updateAdd               // the multiplier update goes before the sum
	stepResume              // lanes of the dot product start from lanes
	stepSuspend             // and are put back there instead of being added up
	stepPairs               // rows go in groups of two instead of four: in passes with M and without a mask, if pairs is not 0
)

// rankOneOfTarget returns a pass on the target, with the penalties of up.
func rankOneOfTarget[T Float](up Augmented[T]) rankOne {
	take, part := up.weights()
	r := rankOne{mu: bits(take)}
	for i := range r.part {
		r.part[i] = bits(part)
		if sizeOf[T]() == 4 {
			r.part[i] |= r.part[i] << 32
		}
	}
	return r
}

// rankOnePass makes the pass r by a body over all rows and columns of n and, unless they are
// absent, of m and the mask, with which den comes. It returns false if the level has no body.
func rankOnePass[T Float](body body[rankOne], r *rankOne, acc, den, v []T, n, m Matrix[T], w []T, seen Bits, when When) bool {
	if len(v) == 0 || len(w) == 0 {
		return true
	}
	if body == 0 {
		return false
	}
	size := sizeOf[T]()
	r.nStride, r.mStride, r.seenStride = n.Stride*size, m.Stride*size, seen.Stride
	dot, add, group := stepDot, stepAdd, 4
	switch when {
	case Before:
		dot |= updateDot
	case After:
		add |= updateAdd
	}
	if pairs != 0 && m.Data != nil && seen.Data == nil {
		dot |= pairs
		add |= pairs
		group = 2
	}
	if n.Cols*size <= rankOneRun {
		r.acc, r.w = unsafe.Pointer(&acc[0]), unsafe.Pointer(&w[0])
		r.cols, r.steps = n.Cols, dot|add
		rows := callWork / (n.Cols + rowWork) / 4 * 4
		for i := 0; i < n.Rows; i += rows {
			r.rows = min(rows, n.Rows-i)
			r.v, r.n = unsafe.Pointer(&v[i]), at(&n, i, 0)
			if m.Data != nil {
				r.m = at(&m, i, 0)
			}
			setMask(r, den, seen, i, 0)
			body.run(r, r.rows*r.cols, r.rows)
		}
		return true
	}
	// Long rows: all columns of a group of rows for v, then once more for acc.
	for i := 0; i < n.Rows; i += r.rows {
		r.rows = group
		if n.Rows-i < group {
			r.rows = 1
		}
		r.v = unsafe.Pointer(&v[i])
		for _, steps := range [...]int{dot, add} {
			r.steps = steps
			for j := 0; j < n.Cols; j += rankOneRun / size {
				r.cols = min(rankOneRun/size, n.Cols-j)
				r.acc, r.w = unsafe.Pointer(&acc[j]), unsafe.Pointer(&w[j])
				r.n = at(&n, i, j)
				if m.Data != nil {
					r.m = at(&m, i, j)
				}
				setMask(r, den, seen, i, j)
				r.steps &^= stepSuspend
				if steps&stepDot != 0 && j+r.cols < n.Cols {
					r.steps |= stepSuspend
				}
				body.run(r, r.rows*r.cols, r.rows)
				r.steps |= stepResume
			}
		}
	}
	return true
}

// setMask sets the mask of a call from (i, j) on, if there is one; j is a multiple of 8.
func setMask[T Float](r *rankOne, den []T, seen Bits, i, j int) {
	if seen.Data != nil {
		r.den, r.seen = unsafe.Pointer(&den[j]), unsafe.Pointer(&seen.Data[i*seen.Stride+j/8])
	}
}
