//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd && !windows

package fileset

import "os"

// lock returns nil, because this system has no locks, or no second process.
func lock(*os.Root, bool) (release func()) { return nil }
