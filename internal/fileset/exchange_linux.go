package fileset

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchangeFolders exchanges two folders atomically, each given by its name in an open one.
func exchangeFolders(from *os.Root, a string, to *os.Root, b string) error {
	swap := func(from int, a string, to int, b string) error {
		return unix.Renameat2(from, a, to, b, unix.RENAME_EXCHANGE)
	}
	return between("exchange", swap, from, a, to, b)
}
