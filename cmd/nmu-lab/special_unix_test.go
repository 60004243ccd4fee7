//go:build linux || darwin

package main

import (
	"path/filepath"
	"syscall"
	"testing"
)

// The command does not wait for a pipe that has the name of a file with machines.
func TestKindIsPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kind.json")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	fails(t, []string{"--kind", path}, benchArgs(t, "--plan", "10x10", "--kind", path)...)
}
