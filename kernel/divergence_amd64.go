//go:build !purego

package kernel

import "nmu/internal/isa"

// As in kernel_amd64.go, these are where a goroutine can be stopped.

//go:noinline
func ratioBody[T Float](level isa.Level, r *ratios) {
	switch double := sizeOf[T]() == 8; {
	case double && level == isa.AVX512:
		ratioAVX512F64(r)
	case double:
		ratioAVX2F64(r)
	case level == isa.AVX512:
		ratioAVX512F32(r)
	default:
		ratioAVX2F32(r)
	}
}

//go:noinline
func dotLogBody[T Float](level isa.Level, r *ratios) {
	switch double := sizeOf[T]() == 8; {
	case double && level == isa.AVX512:
		dotLogAVX512F64(r)
	case double:
		dotLogAVX2F64(r)
	case level == isa.AVX512:
		dotLogAVX512F32(r)
	default:
		dotLogAVX2F32(r)
	}
}

//go:noinline
func logDerivativesBody[T Float](level isa.Level, r *derivatives) {
	switch double := sizeOf[T]() == 8; {
	case double && level == isa.AVX512:
		logDerivativesAVX512F64(r)
	case double:
		logDerivativesAVX2F64(r)
	case level == isa.AVX512:
		logDerivativesAVX512F32(r)
	default:
		logDerivativesAVX2F32(r)
	}
}

//go:noescape
func ratioAVX512F64(r *ratios)

//go:noescape
func ratioAVX512F32(r *ratios)

//go:noescape
func dotLogAVX512F64(r *ratios)

//go:noescape
func dotLogAVX512F32(r *ratios)

//go:noescape
func logDerivativesAVX512F64(r *derivatives)

//go:noescape
func logDerivativesAVX512F32(r *derivatives)

//go:noescape
func ratioAVX2F64(r *ratios)

//go:noescape
func ratioAVX2F32(r *ratios)

//go:noescape
func dotLogAVX2F64(r *ratios)

//go:noescape
func dotLogAVX2F32(r *ratios)

//go:noescape
func logDerivativesAVX2F64(r *derivatives)

//go:noescape
func logDerivativesAVX2F32(r *derivatives)
