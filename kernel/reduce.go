package kernel

import (
	"math"
	"unsafe"
)

// Dot returns x·y, summed in 128 bytes of lanes. It panics if the lengths differ.
func Dot[T Float](x, y []T) T {
	readsLen("x", x, len(x))
	readsLen("y", y, len(x))
	if s, ok := reduceTiled(bodiesOf[T](active()).dot, x, y, 0); ok {
		return s
	}
	return dotGeneric(x, y)
}

func dotGeneric[T Float](x, y []T) T { return laneDot(x, y, reductionBytes) }

// SumSquares returns x·x, with the bits of Dot(x, x).
func SumSquares[T Float](x []T) T { return Dot(x, x) }

// Max returns the largest element of x, or -Inf if x is empty. A NaN is never
// larger than anything, so that NaNs are passed over.
func Max[T Float](x []T) T {
	readsLen("x", x, len(x))
	if s, ok := reduceTiled(bodiesOf[T](active()).max, x, x, T(math.Inf(-1))); ok {
		return s
	}
	return maxGeneric(x)
}

// maxGeneric keeps one maximum per lane, replaced only by a larger value, and
// folds the lanes by the same rule with the later lane as the candidate.
func maxGeneric[T Float](x []T) T {
	return extreme(x, T(math.Inf(-1)), func(a, b T) bool { return a > b })
}

// Min returns the smallest element of x, or +Inf if x is empty. NaNs are passed
// over.
func Min[T Float](x []T) T {
	readsLen("x", x, len(x))
	if s, ok := reduceTiled(bodiesOf[T](active()).min, x, x, T(math.Inf(1))); ok {
		return s
	}
	return minGeneric(x)
}

func minGeneric[T Float](x []T) T {
	return extreme(x, T(math.Inf(1)), func(a, b T) bool { return a < b })
}

func extreme[T Float](x []T, start T, better func(a, b T) bool) T {
	var lane [reductionBytes / 4]T
	n := reductionBytes / int(unsafe.Sizeof(start))
	for l := range n {
		lane[l] = start
	}
	for j, a := range x {
		if better(a, lane[j%n]) {
			lane[j%n] = a
		}
	}
	for h := n / 2; h > 0; h /= 2 {
		for l := range h {
			if better(lane[l+h], lane[l]) {
				lane[l] = lane[l+h]
			}
		}
	}
	return lane[0]
}

// CountLess returns how many elements of x are less than t. For nonnegative x and the smallest
// positive t it counts the zeros of x; with t = 0.001 max(x) it counts the zeros in the paper's
// s(·) (section 4, Testing methodology).
func CountLess[T Float](x []T, t T) int {
	readsLen("x", x, len(x))
	return countLessTiled(x, t)
}

func countLessGeneric[T Float](x []T, t T) int {
	n := 0
	for _, a := range x {
		if a < t {
			n++
		}
	}
	return n
}
