package flags

import (
	"fmt"
	"runtime"
)

// Count is a flag that takes a number of at least 1, with its value.
type Count struct {
	Flag  string // its name
	Value int
}

// CheckCounts returns an error if a given count is below 1.
func CheckCounts(given func(flag string) bool, counts ...Count) error {
	for _, x := range counts {
		if given(x.Flag) && x.Value < 1 {
			return fmt.Errorf("--%s %d; choose 1 or more", x.Flag, x.Value)
		}
	}
	return nil
}

// Threads returns the number of threads for a value of --threads, where 0 stands for
// all processors.
func Threads(given int) int {
	if given == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return given
}
