//go:build purego || !amd64

package kernel

// Without assembly the generic bodies run: the functions below decline.

func addSparseProductArch[T Float](a Matrix[T], s Pattern, n []T, g T, x Matrix[T]) bool {
	return false
}
func sampledProductArch[T Float](p []T, s Pattern, v, x Matrix[T]) bool               { return false }
func addTransposedArch[T Float](c Matrix[T], s Pattern, n []T, g T, v Matrix[T]) bool { return false }
