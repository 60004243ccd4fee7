//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package fileset

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// acquire waits for the lock of the folder at path. Meanwhile that may have become
// another folder, or none.
func acquire(path string) (release func(), err error) {
	for {
		dir, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0) // a pipe is not waited for
		if err != nil {
			return nil, err
		}
		if err := flock(dir); err != nil {
			dir.Close()
			return nil, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
		}
		locked, err := dir.Stat()
		if err != nil {
			dir.Close()
			return nil, err
		}
		now, err := os.Stat(path)
		if err == nil && os.SameFile(locked, now) {
			return func() { dir.Close() }, nil
		}
		dir.Close()
		if err != nil {
			return nil, err
		}
	}
}

// acquireOpen waits for the lock of an open folder.
func acquireOpen(root *os.Root) (release func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	if err := flock(dir); err != nil {
		dir.Close()
		return nil, err
	}
	return func() { dir.Close() }, nil
}

// flock locks an open file for this process alone.
func flock(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
