package main

import (
	"fmt"
	"runtime"
)

// maxThreads is the largest number of threads: more than any machine has, and few enough
// for goroutines.
const maxThreads = 4096

// count is a flag that takes a number from 1 on, and its value.
type count struct {
	flag  string
	value int
}

// checkCounts rejects given counts below 1, and a number of threads below 1 or above
// maxThreads.
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

// threadCount returns the number of threads for a value of --threads, where 0 stands for
// all processors.
func threadCount(given int) int {
	if given == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return given
}
