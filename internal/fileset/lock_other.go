//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package fileset

import (
	"errors"
	"os"
)

// acquire fails, because this system has no locks, or no second process.
func acquire(path string) (release func(), err error) { return nil, errors.ErrUnsupported }

// acquireOpen fails, because no folder is exchanged on this system.
func acquireOpen(*os.Root) (release func(), err error) { return nil, errors.ErrUnsupported }
