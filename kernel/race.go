//go:build race

package kernel

import (
	"runtime"
	"unsafe"
)

// racing says that the race detector runs. It does not see what assembly reads and writes.
const racing = true

// raceRange tells the race detector of bytes that are written, or only read.
func raceRange(p unsafe.Pointer, bytes int, written bool) {
	if written {
		runtime.RaceWriteRange(p, bytes)
	} else {
		runtime.RaceReadRange(p, bytes)
	}
}
