//go:build purego || !amd64

package planted

// DirtyYMM does nothing, because only amd64 has VZEROUPPER.
func DirtyYMM() {}

// DirtyZMM does nothing.
func DirtyZMM() {}
