//go:build purego || !(amd64 || arm64)

package kernel

// Without assembly the generic bodies run: the functions below decline.

func panelTiled[T Float](c, v, x Matrix[T], transposed bool) bool { return false }
func addScaledTiled[T Float](y []T, a T, x []T) bool              { return false }
func addScaledRowsTiled[T Float](y, v []T, x Matrix[T]) bool      { return false }
func scaleTiled[T Float](x []T, a T) bool                         { return false }
