//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package temp

import (
	"errors"
	"os"
)

// hold fails, because this system has no such locks.
func hold(*os.Root, string) (*os.File, error) { return nil, errors.ErrUnsupported }
