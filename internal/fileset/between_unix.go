//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package fileset

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameBetween renames a file of one open folder to a name in another.
func renameBetween(from *os.Root, a string, to *os.Root, b string) error {
	return between("rename", unix.Renameat, from, a, to, b)
}

// linkBetween is renameBetween for a hard link.
func linkBetween(from *os.Root, a string, to *os.Root, b string) error {
	link := func(from int, a string, to int, b string) error { return unix.Linkat(from, a, to, b, 0) }
	return between("link", link, from, a, to, b)
}

// between calls the system with the descriptors of open folders. a and b are names in them, not
// paths.
func between(op string, call func(from int, a string, to int, b string) error, from *os.Root, a string, to *os.Root, b string) error {
	x, err := from.Open(".")
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := to.Open(".")
	if err != nil {
		return err
	}
	defer y.Close()
	for {
		err := call(int(x.Fd()), a, int(y.Fd()), b)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return &os.LinkError{Op: op, Old: from.Name() + "/" + a, New: to.Name() + "/" + b, Err: err}
		}
		return nil
	}
}
