package main

import (
	"fmt"
	"runtime"
)

// maxThreads is more than any machine has, and few enough for goroutines.
const maxThreads = 4096

// count is a flag whose value is a number from 1 on.
type count struct {
	flag  string
	value int
}

// checkCounts rejects counts below 1 that were given, and the same for the number of
// threads, of which there may also be too many.
func checkCounts(given func(flag string) bool, threads int, counts ...count) error {
	for _, x := range append(counts, count{"threads", threads}) {
		if given(x.flag) && x.value < 1 {
			return fmt.Errorf("--%s %d; choose 1 or more", x.flag, x.value)
		}
	}
	if threads > maxThreads {
		return fmt.Errorf("--threads %d; choose 1 to %d", threads, maxThreads)
	}
	return nil
}

// threadCount returns the number of threads of a command line, on which 0 stands
// for all processors.
func threadCount(given int) int {
	if given == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return given
}
