//go:build !purego

package kernel

import "nmu/internal/isa"

// The bodies with a mask, chosen as those in kernel_arm64.go are.

//go:noinline
func keepBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		keepNEONF64(u)
	} else {
		keepNEONF32(u)
	}
}

//go:noinline
func imputeBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		imputeNEONF64(u)
	} else {
		imputeNEONF32(u)
	}
}

//go:noinline
func weighBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		weighNEONF64(u)
	} else {
		weighNEONF32(u)
	}
}

//go:noinline
func maskedUpdateBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		maskedUpdateNEONF64(u)
	} else {
		maskedUpdateNEONF32(u)
	}
}

//go:noinline
func maskedAugmentBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		maskedAugmentNEONF64(u)
	} else {
		maskedAugmentNEONF32(u)
	}
}

//go:noinline
func maskedTargetBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		maskedTargetNEONF64(u)
	} else {
		maskedTargetNEONF32(u)
	}
}

//go:noinline
func maskedRankOneBody[T Float](_ isa.Level, r *rankOne) {
	if sizeOf[T]() == 8 {
		maskedRankOneNEONF64(r)
	} else {
		maskedRankOneNEONF32(r)
	}
}

//go:noinline
func maskedAugRankBody[T Float](_ isa.Level, r *rankOne) {
	if sizeOf[T]() == 8 {
		maskedAugRankNEONF64(r)
	} else {
		maskedAugRankNEONF32(r)
	}
}

//go:noescape
func keepNEONF64(u *update)

//go:noescape
func keepNEONF32(u *update)

//go:noescape
func imputeNEONF64(u *update)

//go:noescape
func imputeNEONF32(u *update)

//go:noescape
func weighNEONF64(u *update)

//go:noescape
func weighNEONF32(u *update)

//go:noescape
func maskedUpdateNEONF64(u *update)

//go:noescape
func maskedUpdateNEONF32(u *update)

//go:noescape
func maskedAugmentNEONF64(u *update)

//go:noescape
func maskedAugmentNEONF32(u *update)

//go:noescape
func maskedTargetNEONF64(u *update)

//go:noescape
func maskedTargetNEONF32(u *update)

//go:noescape
func maskedRankOneNEONF64(r *rankOne)

//go:noescape
func maskedRankOneNEONF32(r *rankOne)

//go:noescape
func maskedAugRankNEONF64(r *rankOne)

//go:noescape
func maskedAugRankNEONF32(r *rankOne)
