package memory

import "runtime"

// Collect frees the garbage of a computation on that many bytes, which takes as much again. The collector
// by itself would often wait until the next computation has taken its own. Of little garbage it frees
// nothing.
func Collect(bytes int64) {
	const little = 1 << 20
	if bytes >= little {
		runtime.GC()
	}
}
