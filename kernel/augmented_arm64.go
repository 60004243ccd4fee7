//go:build !purego

package kernel

import "nmu/internal/isa"

// The bodies of the augmented Lagrangian, chosen as those in kernel_arm64.go are.

//go:noinline
func augmentBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		augmentNEONF64(u)
	} else {
		augmentNEONF32(u)
	}
}

//go:noinline
func targetBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		targetNEONF64(u)
	} else {
		targetNEONF32(u)
	}
}

//go:noinline
func rankOneAugmentedBody[T Float](_ isa.Level, r *rankOne) {
	if sizeOf[T]() == 8 {
		augRankOneNEONF64(r)
	} else {
		augRankOneNEONF32(r)
	}
}

//go:noescape
func augmentNEONF64(u *update)

//go:noescape
func augmentNEONF32(u *update)

//go:noescape
func targetNEONF64(u *update)

//go:noescape
func targetNEONF32(u *update)

//go:noescape
func augRankOneNEONF64(r *rankOne)

//go:noescape
func augRankOneNEONF32(r *rankOne)
