//go:build !purego

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// The bodies of the augmented Lagrangian, chosen as those in kernel_amd64.go are.

//go:noinline
func augmentBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		augmentAVX512F64(u)
	case level == isa.AVX512:
		augmentAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		augmentAVX2F64(u)
	default:
		augmentAVX2F32(u)
	}
}

//go:noinline
func targetBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		targetAVX512F64(u)
	case level == isa.AVX512:
		targetAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		targetAVX2F64(u)
	default:
		targetAVX2F32(u)
	}
}

//go:noinline
func rankOneAugmentedBody[T Float](level isa.Level, r *rankOne) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		augRankOneAVX512F64(r)
	case level == isa.AVX512:
		augRankOneAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		augRankOneAVX2F64(r)
	default:
		augRankOneAVX2F32(r)
	}
}

//go:noescape
func augmentAVX512F64(u *update)

//go:noescape
func augmentAVX2F64(u *update)

//go:noescape
func augmentAVX512F32(u *update)

//go:noescape
func augmentAVX2F32(u *update)

//go:noescape
func targetAVX512F64(u *update)

//go:noescape
func targetAVX2F64(u *update)

//go:noescape
func targetAVX512F32(u *update)

//go:noescape
func targetAVX2F32(u *update)

//go:noescape
func augRankOneAVX512F64(r *rankOne)

//go:noescape
func augRankOneAVX2F64(r *rankOne)

//go:noescape
func augRankOneAVX512F32(r *rankOne)

//go:noescape
func augRankOneAVX2F32(r *rankOne)
