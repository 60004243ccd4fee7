//go:build purego || (!amd64 && !arm64)

package isa

// detect lists the only level without assembly.
func detect() []Level { return []Level{Generic} }
