//go:build !purego

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// The bodies with a mask, chosen as those in kernel_amd64.go are.

//go:noinline
func keepBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		keepAVX512F64(u)
	case level == isa.AVX512:
		keepAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		keepAVX2F64(u)
	default:
		keepAVX2F32(u)
	}
}

//go:noinline
func imputeBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		imputeAVX512F64(u)
	case level == isa.AVX512:
		imputeAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		imputeAVX2F64(u)
	default:
		imputeAVX2F32(u)
	}
}

//go:noinline
func weighBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		weighAVX512F64(u)
	case level == isa.AVX512:
		weighAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		weighAVX2F64(u)
	default:
		weighAVX2F32(u)
	}
}

//go:noinline
func maskedUpdateBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		maskedUpdateAVX512F64(u)
	case level == isa.AVX512:
		maskedUpdateAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		maskedUpdateAVX2F64(u)
	default:
		maskedUpdateAVX2F32(u)
	}
}

//go:noinline
func maskedAugmentBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		maskedAugmentAVX512F64(u)
	case level == isa.AVX512:
		maskedAugmentAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		maskedAugmentAVX2F64(u)
	default:
		maskedAugmentAVX2F32(u)
	}
}

//go:noinline
func maskedTargetBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		maskedTargetAVX512F64(u)
	case level == isa.AVX512:
		maskedTargetAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		maskedTargetAVX2F64(u)
	default:
		maskedTargetAVX2F32(u)
	}
}

//go:noinline
func maskedRankOneBody[T Float](level isa.Level, r *rankOne) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		maskedRankOneAVX512F64(r)
	case level == isa.AVX512:
		maskedRankOneAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		maskedRankOneAVX2F64(r)
	default:
		maskedRankOneAVX2F32(r)
	}
}

//go:noinline
func maskedAugRankBody[T Float](level isa.Level, r *rankOne) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		maskedAugRankAVX512F64(r)
	case level == isa.AVX512:
		maskedAugRankAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		maskedAugRankAVX2F64(r)
	default:
		maskedAugRankAVX2F32(r)
	}
}

//go:noescape
func keepAVX512F64(u *update)

//go:noescape
func keepAVX2F64(u *update)

//go:noescape
func keepAVX512F32(u *update)

//go:noescape
func keepAVX2F32(u *update)

//go:noescape
func imputeAVX512F64(u *update)

//go:noescape
func imputeAVX2F64(u *update)

//go:noescape
func imputeAVX512F32(u *update)

//go:noescape
func imputeAVX2F32(u *update)

//go:noescape
func weighAVX512F64(u *update)

//go:noescape
func weighAVX2F64(u *update)

//go:noescape
func weighAVX512F32(u *update)

//go:noescape
func weighAVX2F32(u *update)

//go:noescape
func maskedUpdateAVX512F64(u *update)

//go:noescape
func maskedUpdateAVX2F64(u *update)

//go:noescape
func maskedUpdateAVX512F32(u *update)

//go:noescape
func maskedUpdateAVX2F32(u *update)

//go:noescape
func maskedAugmentAVX512F64(u *update)

//go:noescape
func maskedAugmentAVX2F64(u *update)

//go:noescape
func maskedAugmentAVX512F32(u *update)

//go:noescape
func maskedAugmentAVX2F32(u *update)

//go:noescape
func maskedTargetAVX512F64(u *update)

//go:noescape
func maskedTargetAVX2F64(u *update)

//go:noescape
func maskedTargetAVX512F32(u *update)

//go:noescape
func maskedTargetAVX2F32(u *update)

//go:noescape
func maskedRankOneAVX512F64(r *rankOne)

//go:noescape
func maskedRankOneAVX2F64(r *rankOne)

//go:noescape
func maskedRankOneAVX512F32(r *rankOne)

//go:noescape
func maskedRankOneAVX2F32(r *rankOne)

//go:noescape
func maskedAugRankAVX512F64(r *rankOne)

//go:noescape
func maskedAugRankAVX2F64(r *rankOne)

//go:noescape
func maskedAugRankAVX512F32(r *rankOne)

//go:noescape
func maskedAugRankAVX2F32(r *rankOne)
