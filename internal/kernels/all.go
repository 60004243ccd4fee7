package kernels

import (
	"nmu/internal/instance"
	"nmu/kernel"
)

var all32, all64 = all[float32], all[float64]

// All returns every kernel, in the order of the benchmark.
func All[T kernel.Float]() []Kernel[T] { return instance.Of[func() []Kernel[T]](all32, all64)() }

func all[T kernel.Float]() []Kernel[T] {
	return []Kernel[T]{
		dot[T](), sumSquares[T](), largest[T](), smallest[T](), countLess[T](),
		add[T](), extrapolate[T](), updateMultiplier[T](), rankOne[T](),
		contract[T](), product[T](), addProduct[T](), updateMultiplierProduct[T](), accumulate[T](), accumulateAhead[T](),
		updateAugmented[T](), target[T](), rankOneAugmented[T](),
		keep[T](), impute[T](), imputeWeighted[T](),
		updateMultiplierMasked[T](), updateAugmentedMasked[T](), targetMasked[T](),
		rankOneMasked[T](), rankOneAugmentedMasked[T](),
		gram[T](), reciprocals[T](), sweep[T](),
		accumulatePanel[T](), addScaled[T](), addScaledRows[T](), scale[T](),
		ratio[T](), dotLog[T](), logDerivatives[T](),
		addSparseProduct[T](), addTransposedSparseProduct[T](), sampledProduct[T](), addRatioProduct[T](), addTransposedRatioProduct[T](), sparseRankOne[T](),
	}
}

// Lengths returns 0 to 3*block+3 and a few larger lengths: more than a page, and more than the
// work of one bounded call of assembly. block is the number of elements in a step of the widest
// loop.
func Lengths(block int) [][]int {
	var s [][]int
	for n := range 3*block + 4 {
		s = append(s, []int{n})
	}
	return append(s, []int{1021 + 3*block}, []int{4096 + block + 1}, []int{70001})
}

// Grid returns all combinations of the extents of each dimension.
func Grid(dims ...[]int) [][]int {
	s := [][]int{nil}
	for _, d := range dims {
		var next [][]int
		for _, head := range s {
			for _, n := range d {
				next = append(next, append(head[:len(head):len(head)], n))
			}
		}
		s = next
	}
	return s
}

// upTo returns 1 to n.
func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i + 1
	}
	return s
}

// long is a number of columns that exceeds every run or block of columns.
const long = 17003

// large returns shapes p, r, q of much work: with each extent alone large, and all together.
func large() [][]int {
	return [][]int{
		{1, 1, 2_500_000}, {300_000, 1, 1}, {70_000, 9, 3}, {5, 7, 70_000}, {1500, 9, 1100},
		{1200, 30, 33}, {9, 1200, 20},
	}
}

// largeOf returns the given extents of each shape of large, followed by the numbers last.
func largeOf(which []int, last ...int) [][]int {
	var s [][]int
	for _, l := range large() {
		var shape []int
		for _, i := range which {
			shape = append(shape, l[i])
		}
		if len(last) == 0 {
			s = append(s, shape)
		}
		for _, n := range last {
			s = append(s, append(shape[:len(shape):len(shape)], n))
		}
	}
	return s
}

// volume is the work of a kernel that combines all its extents.
func volume(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// plane is the product of the first two extents.
func plane(shape []int) int { return shape[0] * shape[1] }
