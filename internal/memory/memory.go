// Package memory says how much memory this process can still get, asks for huge pages, and
// reads and writes sizes of memory as text.
package memory

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"strconv"
	"strings"
)

// unknown replaces the memory of a machine that does not report it.
const unknown = 1 << 40

// small is about the memory that a process with 32 bits of address space can get.
const small = 2 << 30

// Free returns how many bytes this process can still get, less an eighth for the garbage
// collector and other programs. On Linux it is the minimum of the available memory of the
// machine and of what the limits of the control groups and of the process (ulimit -v, -d)
// leave. On Windows it is the available memory, on macOS and the BSDs all memory of the
// machine. It is at least 1 and may change from call to call.
func Free() int64 {
	n := int64(unknown)
	if m := machine(); m >= 0 {
		n = min(n, m)
	}
	if bits.UintSize == 32 || runtime.GOARCH == "wasm" {
		n = min(n, small)
	}
	return max(n-n/8, 1)
}

// units are the factors of the units, in upper case.
var units = map[string]int64{
	"": 1, "B": 1,
	"K": 1 << 10, "KB": 1e3, "KIB": 1 << 10,
	"M": 1 << 20, "MB": 1e6, "MIB": 1 << 20,
	"G": 1 << 30, "GB": 1e9, "GIB": 1 << 30,
	"T": 1 << 40, "TB": 1e12, "TIB": 1 << 40,
}

// Parse reads a size in bytes, such as 512MB, 2GiB, 1.5G or 1000000. KB is 1000
// bytes, KiB and K are 1024, and so on to T. The size is at least one byte.
func Parse(s string) (int64, error) {
	text := strings.TrimSpace(s)
	n := 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		n++
	}
	unit, ok := units[strings.ToUpper(strings.TrimSpace(text[n:]))]
	x, err := strconv.ParseFloat(text[:n], 64)
	switch {
	case err != nil || !ok:
		return 0, fmt.Errorf("%q is no size; want bytes or a number with a unit, such as 512MB, 2GiB or 1.5G", s)
	case x*float64(unit) < 1:
		return 0, fmt.Errorf("%q is less than one byte", s)
	case x*float64(unit) >= math.MaxInt64:
		return 0, fmt.Errorf("%q is more than can be counted", s)
	}
	if whole, err := strconv.ParseInt(text[:n], 10, 64); err == nil {
		return whole * unit, nil
	}
	return int64(x * float64(unit)), nil
}

// Text writes a size in bytes, in the decimal unit that leaves one to three digits before the
// point.
func Text(n int64) string {
	for _, unit := range []string{"TB", "GB", "MB", "KB"} {
		if u := units[unit]; n >= u {
			return fmt.Sprintf("%.3g %s", float64(n)/float64(u), unit)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// Collect frees the garbage of a computation on that many bytes, which takes as much again. The collector
// by itself would often wait until the next computation has taken its own. Of little garbage it frees
// nothing.
func Collect(bytes int64) {
	const little = 1 << 20
	if bytes >= little {
		runtime.GC()
	}
}
