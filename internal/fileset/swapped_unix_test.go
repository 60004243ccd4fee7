//go:build linux || darwin

package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A process of another user, who owns the folder or its parent, puts links in the place of
// temporary folders all the time. Nothing changes where they lead.
func TestTemporaryFolderSwappedByOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root can start a process of another user")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skipf("NOT TESTED: a process of its own cannot be used on this machine: %v", err)
	}
	const nobody = 65534
	for _, whose := range []string{"folder", "parent"} {
		there := victim(t)
		before := tree(t, there)
		top := t.TempDir()
		parent := filepath.Join(top, "parent")
		dir := filepath.Join(parent, "out")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		own := map[string]string{"folder": dir, "parent": parent}[whose]
		// The other user must reach the folder.
		for path := top; path != filepath.Dir(path) && path != os.TempDir(); path = filepath.Dir(path) {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(own, nobody, nobody); err != nil {
			t.Skipf("NOT TESTED: a folder cannot be given to another user: %v", err)
		}
		program := filepath.Join(top, "swap")
		if err := os.Link(self, program); err != nil {
			text, err := os.ReadFile(self)
			if err == nil {
				err = os.WriteFile(program, text, 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = "/", []string{fmt.Sprintf("%s=%s\n%s", swapEnv, dir, there)}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOEXEC) { // in an emulator
			t.Skipf("NOT TESTED: a process of another user cannot be started: %v", err)
		} else if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			Write(dir, set("new", "v", "w", "record"), "record") // with an error or without
			Add(dir, set("new", "page")[0], "record")
		}
		stdin.Close()
		cmd.Wait()
		if after := tree(t, there); after != before {
			t.Errorf("%s: there was\n%sand is now\n%s", whose, before, after)
		}
		taken, _ := filepath.Glob(filepath.Join(own, "taken-*"))
		if len(taken) == 0 {
			t.Skip("NOT TESTED: no temporary folder was replaced")
		}
	}
}
