package flags

import "runtime"

// Threads returns the number of threads for a value of --threads, where 0 stands for
// all processors.
func Threads(given int) int {
	if given == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return given
}
