package temp

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamed creates a file without a name in a folder, so that a killed process leaves nothing.
// Some file systems do not support that.
func unnamed(dir string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return os.NewFile(uintptr(fd), dir), nil
}
