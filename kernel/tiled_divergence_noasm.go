//go:build purego || !(amd64 || arm64)

package kernel

// Without assembly the generic bodies run: the functions below decline.

func ratioTiled[T Float](x, m []T, least T) bool { return false }
func dotLogTiled[T Float](m, r []T) (T, bool)    { return 0, false }
func logDerivativesTiled[T Float](x, last []T, step T, m, g []T, least T) (first, second T, ok bool) {
	return 0, 0, false
}
