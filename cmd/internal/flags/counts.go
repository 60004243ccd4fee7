package flags

import (
	"fmt"
	"runtime"

	"github.com/spf13/pflag"

	"nmu/internal/options"
	"nmu/lnmu"
)

// Count is a flag that takes a number of at least 1, with its value.
type Count struct {
	Flag  string // its name
	Value int
}

// CheckCounts returns an error if a given count is below 1, or the number of threads is below 1
// or above lnmu.MaxThreads.
func CheckCounts(given func(flag string) bool, threads int, counts ...Count) error {
	for _, x := range append(counts, Count{"threads", threads}) {
		if given(x.Flag) && x.Value < 1 {
			return fmt.Errorf("--%s %d; choose 1 or more", x.Flag, x.Value)
		}
	}
	if threads > lnmu.MaxThreads {
		return fmt.Errorf("--threads %d; choose 1 to %d", threads, lnmu.MaxThreads)
	}
	return nil
}

// AddThreads adds the flag --threads.
func AddThreads(fs *pflag.FlagSet, threads *int) {
	fs.IntVar(threads, "threads", 0, Usage(options.Usage("threads")))
}

// CheckThreads returns an error if a given number of threads is below 1 or above lnmu.MaxThreads.
func CheckThreads(given func(flag string) bool, threads int) error {
	if given("threads") && threads < 1 || threads > lnmu.MaxThreads {
		return fmt.Errorf("--threads %d; choose 1 to %d", threads, lnmu.MaxThreads)
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
