package process

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
)

// PeakMemory returns the peak memory of this process in bytes, or 0 if the system does not
// report it.
func PeakMemory() int { return kibibytes("/proc/self/status", "VmHWM:") }

// AvailableMemory returns the bytes that can be allocated without swapping, or 0 if the
// system does not report them.
func AvailableMemory() int { return kibibytes("/proc/meminfo", "MemAvailable:") }

// kibibytes reads the line "key 123 kB" of a file of Linux and returns its bytes, or 0 if
// there is none.
func kibibytes(path, key string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 3 && fields[0] == key && fields[2] == "kB" {
			n, err := strconv.Atoi(fields[1])
			if err != nil || n < 0 {
				return 0
			}
			return min(n, math.MaxInt>>10) << 10
		}
	}
	return 0
}
