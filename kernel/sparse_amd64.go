//go:build !purego

package kernel

func addSparseProductArch[T Float](a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) bool {
	return false
}
func sampledProductArch[T Float](p []T, s Pattern, v, x Matrix[T]) bool { return false }
