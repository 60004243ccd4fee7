//go:build !purego

package kernel

import "nmu/internal/isa"

// As in kernel_arm64.go, these are where a goroutine can be stopped.

//go:noinline
func ratioBody[T Float](_ isa.Level, r *ratios) {
	if sizeOf[T]() == 8 {
		ratioNEONF64(r)
	} else {
		ratioNEONF32(r)
	}
}

//go:noinline
func dotLogBody[T Float](_ isa.Level, r *ratios) {
	if sizeOf[T]() == 8 {
		dotLogNEONF64(r)
	} else {
		dotLogNEONF32(r)
	}
}

//go:noinline
func logDerivativesBody[T Float](_ isa.Level, r *derivatives) {
	if sizeOf[T]() == 8 {
		logDerivativesNEONF64(r)
	} else {
		logDerivativesNEONF32(r)
	}
}

//go:noescape
func ratioNEONF64(r *ratios)

//go:noescape
func ratioNEONF32(r *ratios)

//go:noescape
func dotLogNEONF64(r *ratios)

//go:noescape
func dotLogNEONF32(r *ratios)

//go:noescape
func logDerivativesNEONF64(r *derivatives)

//go:noescape
func logDerivativesNEONF32(r *derivatives)
