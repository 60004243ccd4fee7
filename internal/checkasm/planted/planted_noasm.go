//go:build purego || !(amd64 || arm64)

package planted

// Trusting does nothing.
func Trusting(left *[2]uint64) {}
