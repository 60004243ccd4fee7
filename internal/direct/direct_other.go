//go:build !linux

package direct

import (
	"os"
	"runtime"
)

const bypass = 0

// unlinked says whether an open file needs no name.
const unlinked = runtime.GOOS != "windows" && runtime.GOOS != "js" && runtime.GOOS != "wasip1"

func refused(error) bool { return false }

// reserve gives a new file its size.
func reserve(file *os.File, size int64) error { return file.Truncate(size) }
