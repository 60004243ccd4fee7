//go:build !linux && !darwin

package fileset

import (
	"errors"
	"os"
)

// exchangeFolders fails, because this system cannot exchange folders.
func exchangeFolders(from *os.Root, a string, to *os.Root, b string) error {
	return errors.ErrUnsupported
}

// alike returns false, because a folder cannot replace another one.
func alike(dir, fresh, stage *os.Root) bool { return false }
