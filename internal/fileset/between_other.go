//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package fileset

import (
	"os"
	"path/filepath"
)

// renameBetween renames a file of one open folder to a name in another, by their paths.
func renameBetween(from *os.Root, a string, to *os.Root, b string) error {
	return os.Rename(filepath.Join(from.Name(), a), filepath.Join(to.Name(), b))
}

// linkBetween is renameBetween for a hard link.
func linkBetween(from *os.Root, a string, to *os.Root, b string) error {
	return os.Link(filepath.Join(from.Name(), a), filepath.Join(to.Name(), b))
}
