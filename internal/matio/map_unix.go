//go:build unix

package matio

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of file, to be read only.
func mapFile(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(m []byte) error { return unix.Munmap(m) }
