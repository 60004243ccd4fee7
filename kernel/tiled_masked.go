//go:build !purego && (amd64 || arm64)

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

func keepTiled[T Float](x Matrix[T], seen Bits) bool {
	return updateBy(zeroMissing, x, x, x, seen, 0, 0)
}

func imputeTiled[T Float](n, m Matrix[T], seen Bits) bool {
	return updateBy(copySeen, n, m, m, seen, 0, 0)
}

func imputeWeightedTiled[T Float](n, m, weight Matrix[T]) bool {
	return updateBy(weighted, n, m, weight, Bits{}, 1, 0)
}

func updateMaskedTiled[T Float](n, m, p Matrix[T], seen Bits, mu T) bool {
	return updateBy(maskedUpdate, n, m, p, seen, mu, 0)
}

func updateAugmentedMaskedTiled[T Float](g, n, m Matrix[T], seen Bits, rho T) bool {
	take, part := Augmented[T]{Rho: rho}.weights()
	return updateBy(maskedAugmented, g, m, n, seen, take, part)
}

func targetMaskedTiled[T Float](n, g, m Matrix[T], seen Bits, a, b T) bool {
	return updateBy(maskedTarget, n, m, g, seen, a, b)
}

func rankOneMaskedTiled[T Float](acc, den, v []T, n Matrix[T], w []T, seen Bits, up Multiplier[T]) bool {
	if up.When == Never {
		up.M = n // which is not read then
	}
	return rankOneMaskedPass(rankOne{mu: bits(up.Mu)}, acc, den, v, n, up.M, w, seen, up.When)
}

func rankOneAugmentedMaskedTiled[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) bool {
	return rankOneMaskedPass(rankOneOfTarget(up), acc, den, v, g, up.M, w, seen, up.When)
}

// maskedLanes are the lanes of the products and of the squares of four rows of a masked
// rank-one pass. Of float64 the second half of each is not used.
type maskedLanes[T Float] [maskedRows][2][contractionBytes / 4]T

// maskedRows are the rows that a call of a masked rank-one pass takes at once, if there
// are so many, else it takes one.
const maskedRows = 4

// rankOneMaskedPass makes a masked pass over all rows and columns of n and m, a group of
// rows at a time: the update and the products of its columns, a run of them in each
// call, then v from their sums, then acc and den.
func rankOneMaskedPass[T Float](r rankOne, acc, den, v []T, n, m Matrix[T], w []T, seen Bits, when When) bool {
	level := isa.Active()
	if _, ok := tilesOf(level); !ok {
		return false
	}
	size := sizeOf[T]()
	r.nStride, r.mStride, r.seenStride = n.Stride*size, m.Stride*size, seen.Stride
	dot, add := stepDot, stepAdd
	switch when {
	case Before:
		dot |= updateDot
	case After:
		add |= updateAdd
	}
	var lanes maskedLanes[T]
	r.lanes = unsafe.Pointer(&lanes)
	for i := 0; i < n.Rows; i += r.rows {
		r.rows = maskedRows
		if n.Rows-i < maskedRows {
			r.rows = 1
		}
		r.v = unsafe.Pointer(&v[i])
		clear(lanes[:r.rows])
		for _, r.steps = range [...]int{dot, add} {
			for j := 0; j < n.Cols; j += rankOneRun / size {
				r.cols = min(rankOneRun/size, n.Cols-j)
				r.acc, r.den, r.w = unsafe.Pointer(&acc[j]), unsafe.Pointer(&den[j]), unsafe.Pointer(&w[j])
				r.n, r.m = at(&n, i, j), at(&m, i, j)
				r.seen = unsafe.Pointer(&seen.Data[i*seen.Stride+j/8]) // a run is a multiple of 8
				rankOneMaskedCall[T](level, &r)
			}
			if r.steps == dot {
				for k := range lanes[:r.rows] {
					if inv := Reciprocal(fold(lanes[k][1][:contractionBytes/size])); inv != 0 {
						v[i+k] = project(fold(lanes[k][0][:contractionBytes/size]), inv)
					}
				}
			}
		}
	}
	return true
}

func rankOneMaskedCall[T Float](level isa.Level, r *rankOne) {
	watch(r.rows * r.cols)
	if r.augmented {
		maskedAugRankBody[T](level, r)
	} else {
		maskedRankOneBody[T](level, r)
	}
}
