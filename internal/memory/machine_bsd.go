//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package memory

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// machine returns the memory of the machine, -1 if unknown.
func machine() int64 {
	name := map[string]string{"darwin": "hw.memsize", "netbsd": "hw.physmem64"}[runtime.GOOS]
	if name == "" {
		name = "hw.physmem"
	}
	n, err := unix.SysctlUint64(name)
	if err != nil {
		return -1
	}
	return int64(min(n, unknown))
}
