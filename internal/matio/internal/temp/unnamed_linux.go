package temp

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamed creates a file without a name in a folder, so that a killed process leaves nothing.
// Some file systems do not support that.
func unnamed(folder *os.Root) (*os.File, error) {
	dir, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: folder.Name(), Err: err}
	}
	return os.NewFile(uintptr(fd), folder.Name()), nil
}
