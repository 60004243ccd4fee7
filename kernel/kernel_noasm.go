//go:build purego || !(amd64 || arm64)

package kernel

// Without assembly every kernel is the generic one: the functions below decline.

func dotArch[T Float](x, y []T) (T, bool)              { return 0, false }
func maxArch[T Float](x []T) (T, bool)                 { return 0, false }
func minArch[T Float](x []T) (T, bool)                 { return 0, false }
func countLessArch[T Float](x []T, t T) (int, bool)    { return 0, false }
func contractArch[T Float](a, x, g Matrix[T]) bool     { return false }
func gramArch[T Float](b, g Matrix[T]) bool            { return false }
func addProductArch[T Float](p, vt, w Matrix[T]) bool  { return false }
func productArch[T Float](p, vt, w Matrix[T]) bool     { return false }
func accumulateArch[T Float](c, vt, x Matrix[T]) bool  { return false }
func addArch[T Float](c, x Matrix[T]) bool             { return false }
func updateArch[T Float](n, m, p Matrix[T], mu T) bool { return false }
func updateProductArch[T Float](n, m, vt, w Matrix[T], mu T) bool {
	return false
}
func sweepArch[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) bool {
	return false
}
func rankOneArch[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) (T, bool) {
	return 0, false
}
