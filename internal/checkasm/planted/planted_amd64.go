//go:build !purego

package planted

// DirtyYMM leaves out VZEROUPPER. Requires: AVX2.
func DirtyYMM()

// DirtyZMM leaves it out with only a ZMM register used. Requires: AVX512F.
func DirtyZMM()
