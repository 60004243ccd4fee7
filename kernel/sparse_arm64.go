//go:build !purego

package kernel

import "nmu/internal/isa"

// gatherBytes returns the bytes of a vector of the level's bodies, 0 if it has
// none, and how many of them a call takes of a row.
func gatherBytes(level isa.Level) (vector, whole, row int) {
	if level == isa.NEON {
		return 16, 7 * 16, 7 * 16
	}
	return 0, 0, 0
}

// As in kernel_arm64.go, these are where a goroutine can be stopped.

//go:noinline
func addSparseBody[T Float](_ isa.Level, c *gather) {
	if sizeOf[T]() == 8 {
		addSparseNEONF64(c)
	} else {
		addSparseNEONF32(c)
	}
}

//go:noinline
func addTransposedBody[T Float](_ isa.Level, c *gather) {
	if sizeOf[T]() == 8 {
		addTransposedNEONF64(c)
	} else {
		addTransposedNEONF32(c)
	}
}

//go:noinline
func sampledBody[T Float](_ isa.Level, c *gather) {
	if sizeOf[T]() == 8 {
		sampledNEONF64(c)
	} else {
		sampledNEONF32(c)
	}
}

//go:noinline
func rankOneRowsBody[T Float](_ isa.Level, r *rankOneRows) {
	if sizeOf[T]() == 8 {
		sparseRankOneNEONF64(r)
	} else {
		sparseRankOneNEONF32(r)
	}
}

//go:noescape
func addSparseNEONF64(c *gather)

//go:noescape
func addSparseNEONF32(c *gather)

//go:noescape
func addTransposedNEONF64(c *gather)

//go:noescape
func addTransposedNEONF32(c *gather)

//go:noescape
func sampledNEONF64(c *gather)

//go:noescape
func sampledNEONF32(c *gather)

//go:noescape
func sparseRankOneNEONF64(r *rankOneRows)

//go:noescape
func sparseRankOneNEONF32(r *rankOneRows)
