//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package fileset

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock takes the lock of an open folder, which the end of the process releases, and says whether it has
// it. If another holds it, lock waits, or returns false.
func lock(root *os.Root, wait bool) (release func(), ok bool) {
	dir, err := root.Open(".")
	if err != nil {
		return func() {}, false
	}
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(dir.Fd()), how)
	}
	return func() { dir.Close() }, err == nil
}

// owned says whether a file belongs to this user.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
