//go:build linux || darwin

package regular

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"nmu/internal/must"
)

// Opening what is no regular file is an error, and none of them is waited for.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	for path, kind := range map[string]string{pipe: "a pipe", "/dev/zero": "a device", "/dev/null": "a device"} {
		must.Refuse(Open(path))(t, ErrNotRegular, kind, path)
	}
	socket := "s" // a path of a socket is short
	t.Chdir(dir)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	if _, err := Open(socket); err == nil {
		t.Error("a socket was opened")
	}
}
