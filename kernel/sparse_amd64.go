//go:build !purego

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// gatherBytes returns the bytes of a vector of the level's bodies, 0 if it has none, and how many
// bytes a call takes of a row: of whole vectors, and if the last one is not whole.
func gatherBytes(level isa.Level) (vector, whole, row int) {
	switch level {
	case isa.AVX512:
		return 64, 8 * 64, 4 * 64
	case isa.AVX2:
		return 32, 8 * 32, 4 * 32
	}
	return 0, 0, 0
}

// As in kernel_amd64.go, these are where a goroutine can be stopped.

//go:noinline
func addSparseBody[T Float](level isa.Level, c *gather) {
	var zero T
	switch wide := level == isa.AVX512; {
	case unsafe.Sizeof(zero) == 8 && wide:
		addSparseAVX512F64(c)
	case unsafe.Sizeof(zero) == 8:
		addSparseAVX2F64(c)
	case wide:
		addSparseAVX512F32(c)
	default:
		addSparseAVX2F32(c)
	}
}

//go:noinline
func addTransposedBody[T Float](level isa.Level, c *gather) {
	var zero T
	switch wide := level == isa.AVX512; {
	case unsafe.Sizeof(zero) == 8 && wide:
		addTransposedAVX512F64(c)
	case unsafe.Sizeof(zero) == 8:
		addTransposedAVX2F64(c)
	case wide:
		addTransposedAVX512F32(c)
	default:
		addTransposedAVX2F32(c)
	}
}

//go:noinline
func sampledBody[T Float](level isa.Level, c *gather) {
	var zero T
	switch wide := level == isa.AVX512; {
	case unsafe.Sizeof(zero) == 8 && wide:
		sampledAVX512F64(c)
	case unsafe.Sizeof(zero) == 8:
		sampledAVX2F64(c)
	case wide:
		sampledAVX512F32(c)
	default:
		sampledAVX2F32(c)
	}
}

//go:noinline
func rankOneRowsBody[T Float](level isa.Level, r *rankOneRows) {
	switch wide, double := level == isa.AVX512, sizeOf[T]() == 8; {
	case double && wide:
		sparseRankOneAVX512F64(r)
	case double:
		sparseRankOneAVX2F64(r)
	case wide:
		sparseRankOneAVX512F32(r)
	default:
		sparseRankOneAVX2F32(r)
	}
}

//go:noescape
func sparseRankOneAVX512F64(r *rankOneRows)

//go:noescape
func sparseRankOneAVX512F32(r *rankOneRows)

//go:noescape
func sparseRankOneAVX2F64(r *rankOneRows)

//go:noescape
func sparseRankOneAVX2F32(r *rankOneRows)

//go:noescape
func addSparseAVX512F64(c *gather)

//go:noescape
func addSparseAVX512F32(c *gather)

//go:noescape
func addSparseAVX2F64(c *gather)

//go:noescape
func addSparseAVX2F32(c *gather)

//go:noescape
func sampledAVX512F64(c *gather)

//go:noescape
func sampledAVX512F32(c *gather)

//go:noescape
func sampledAVX2F64(c *gather)

//go:noescape
func sampledAVX2F32(c *gather)

//go:noescape
func addTransposedAVX512F64(c *gather)

//go:noescape
func addTransposedAVX512F32(c *gather)

//go:noescape
func addTransposedAVX2F64(c *gather)

//go:noescape
func addTransposedAVX2F32(c *gather)
