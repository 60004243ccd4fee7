//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package memory

// machine returns -1, because this system does not report its memory.
func machine() int64 { return -1 }
