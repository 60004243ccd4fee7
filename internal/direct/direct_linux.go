package direct

import (
	"errors"
	"os"
	"syscall"
)

const (
	bypass   = syscall.O_DIRECT
	unlinked = true // an open file needs no name
)

// refused says whether the file system has refused an operation without the cache.
func refused(err error) bool { return errors.Is(err, syscall.EINVAL) }

// reserve allocates the blocks of a new file, so that a full disk is an error at once.
func reserve(file *os.File, size int64) error {
	const keep = 0 // not the size that it has
	err := syscall.Fallocate(int(file.Fd()), keep, 0, size)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return file.Truncate(size)
	}
	return err
}
