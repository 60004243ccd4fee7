//go:build !linux

package memory

// HugePages returns s. It asks for huge pages on Linux only.
func HugePages[E any](s []E) []E { return s }
