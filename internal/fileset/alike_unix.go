//go:build linux || darwin

package fileset

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// alike gives the folder fresh, which is in stage, the permissions of dir, and says whether it
// can replace dir: both have the same owner and group, and dir has no access list or other
// attributes.
func alike(dir, fresh, stage *os.Root) bool {
	a, err := dir.Stat(".")
	if err != nil || stage.Chmod(newFiles, a.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)) != nil {
		return false
	}
	b, err := fresh.Stat(".")
	if err != nil || a.Mode() != b.Mode() {
		return false
	}
	x, xok := a.Sys().(*syscall.Stat_t)
	y, yok := b.Sys().(*syscall.Stat_t)
	return xok && yok && x.Uid == y.Uid && x.Gid == y.Gid && plain(dir)
}

// plain says whether a folder has only attributes that the system gives to every folder.
func plain(dir *os.Root) bool {
	file, err := dir.Open(".")
	if err != nil {
		return false
	}
	defer file.Close()
	list := make([]byte, 4096)
	n, err := unix.Flistxattr(int(file.Fd()), list)
	if err != nil {
		return errors.Is(err, unix.ENOTSUP)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(list[:n]), "\x00"), "\x00") {
		switch name {
		case "", "security.selinux", "com.apple.provenance":
		default:
			return false
		}
	}
	return true
}
