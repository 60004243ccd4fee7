//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package fileset

import "errors"

// acquire fails, because this system has no locks, or no second process.
func acquire(path string) (release func(), err error) { return nil, errors.ErrUnsupported }
