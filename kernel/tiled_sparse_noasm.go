//go:build purego || !(amd64 || arm64)

package kernel

// Without assembly the generic bodies run: the functions below decline.

func addSparseProductTiled[T Float](a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) bool {
	return false
}
func sampledProductTiled[T Float](p []T, s Pattern, v, x Matrix[T]) bool               { return false }
func addTransposedTiled[T Float](c Matrix[T], s Pattern, n []T, g T, v Matrix[T]) bool { return false }
func sparseRankOneTiled[T Float](c, v []T, s Pattern, n, w []T, step SparseStep[T]) bool {
	return false
}
