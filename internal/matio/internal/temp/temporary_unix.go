//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package temp

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// hold opens and locks a file of this user, until it is closed. It returns nil if
// another process holds it. An error means that there is no lock.
func hold(folder *os.Root, name string) (*os.File, error) {
	file, err := folder.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
			err = os.ErrPermission
		}
	}
	if err == nil {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, err
}
