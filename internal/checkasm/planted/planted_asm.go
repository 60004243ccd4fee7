//go:build !purego && (amd64 || arm64)

package planted

// Trusting stores what it found in a vector register. Requires: AVX2 on amd64.
//
//go:noescape
func Trusting(left *[2]uint64)
