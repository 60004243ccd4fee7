//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package fileset

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the lock of an open folder, which the end of the process releases too. If another holds it,
// lock waits, or returns nil, as it does where there are no locks.
func lock(root *os.Root, wait bool) (release func()) {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	how := map[bool]int{true: unix.LOCK_EX, false: unix.LOCK_EX | unix.LOCK_NB}[wait]
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(dir.Fd()), how)
	}
	if err != nil {
		dir.Close()
		return nil
	}
	return func() { dir.Close() }
}
