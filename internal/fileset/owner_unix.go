//go:build unix

package fileset

import (
	"io/fs"
	"os"
	"syscall"
)

// owned says whether a file belongs to this user.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
