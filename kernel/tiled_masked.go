//go:build !purego && (amd64 || arm64)

package kernel

func keepTiled[T Float](x Matrix[T], seen Bits) bool           { return false }
func imputeTiled[T Float](n, m Matrix[T], seen Bits) bool      { return false }
func imputeWeightedTiled[T Float](n, m, weight Matrix[T]) bool { return false }
func updateMaskedTiled[T Float](n, m, p Matrix[T], seen Bits, mu T) bool {
	return false
}
func updateAugmentedMaskedTiled[T Float](g, n, m Matrix[T], seen Bits, rho T) bool {
	return false
}
func targetMaskedTiled[T Float](n, g, m Matrix[T], seen Bits, a, b T) bool {
	return false
}
func rankOneMaskedTiled[T Float](acc, den, v []T, n Matrix[T], w []T, seen Bits, up Multiplier[T]) bool {
	return false
}
func rankOneAugmentedMaskedTiled[T Float](acc, den, v []T, g Matrix[T], w []T, seen Bits, up Augmented[T]) bool {
	return false
}
