package memory

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// arena is the step in bytes by which Go's heap grows its address space. A remainder below it
// is useless.
const arena = 64 << 20

// machine returns how many bytes this process can still get, -1 if unknown.
func machine() int64 {
	n := available(os.DirFS("/"))
	// In pages: size of the address space, resident, shared, text, 0, data.
	text, _ := os.ReadFile("/proc/self/statm")
	pages := strings.Fields(string(text))
	for _, limit := range []struct {
		resource, field int
		spare           int64
	}{{unix.RLIMIT_AS, 0, arena}, {unix.RLIMIT_DATA, 5, 0}} {
		var r unix.Rlimit
		if unix.Getrlimit(limit.resource, &r) != nil || r.Cur > unknown || limit.field >= len(pages) {
			continue
		}
		used, err := strconv.ParseInt(pages[limit.field], 10, 64)
		if err != nil {
			continue
		}
		left := max(int64(r.Cur)-used*int64(os.Getpagesize())-limit.spare, 0)
		if n < 0 || left < n {
			n = left
		}
	}
	return n
}
