//go:build purego || !(amd64 || arm64)

package kernel

// Without assembly every kernel is the generic one: the functions below decline.

func dotTiled[T Float](x, y []T) (T, bool)                   { return 0, false }
func maxTiled[T Float](x []T) (T, bool)                      { return 0, false }
func minTiled[T Float](x []T) (T, bool)                      { return 0, false }
func countLessTiled[T Float](x []T, t T) (int, bool)         { return 0, false }
func contractTiled[T Float](a, x, g Matrix[T]) bool          { return false }
func gramTiled[T Float](b, g Matrix[T]) bool                 { return false }
func addProductTiled[T Float](p, vt, w Matrix[T]) bool       { return false }
func productTiled[T Float](p, vt, w Matrix[T]) bool          { return false }
func accumulateTiled[T Float](c, vt, x, n, m Matrix[T]) bool { return false }
func addTiled[T Float](c, x Matrix[T]) bool                  { return false }
func extrapolateTiled[T Float](x, before Matrix[T], beta T) (T, bool) {
	return 0, false
}
func updateTiled[T Float](n, m, p Matrix[T], mu T) bool { return false }
func updateProductTiled[T Float](n, m, vt, w Matrix[T], mu T) bool {
	return false
}
func sweepTiled[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) bool {
	return false
}
func rankOneTiled[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) (T, bool) {
	return 0, false
}
func updateAugmentedTiled[T Float](g, n, m Matrix[T], rho T) bool { return false }
func targetTiled[T Float](n, g, m Matrix[T], a, b T) bool         { return false }
func rankOneAugmentedTiled[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) (T, bool) {
	return 0, false
}
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
