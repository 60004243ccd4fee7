package fileset

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An error of any step of a set names the folder as the caller does, and the file in it if it is
// about one, but no temporary folder.
func TestErrorsNameTheFolder(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	full := syscall.ENOSPC
	steps := map[string]struct {
		fail func(t *testing.T) // makes a step fail
		want string
	}{
		"mkdir": {func(t *testing.T) {
			mkdir = func(root *os.Root, name string, _ fs.FileMode) error {
				return &fs.PathError{Op: "mkdirat", Path: name, Err: full}
			}
			t.Cleanup(func() { mkdir = (*os.Root).Mkdir })
		}, "mkdirat out: "},
		"sync": {func(t *testing.T) {
			old := syncFile
			syncFile = func(f *os.File) error { return &fs.PathError{Op: "sync", Path: f.Name(), Err: full} }
			t.Cleanup(func() { syncFile = old })
		}, "sync out/v: "},
		"rename": {func(t *testing.T) {
			t.Cleanup(atEveryStep(func(path string) error {
				if filepath.Base(path) == "v" {
					return &os.LinkError{Op: "rename", Old: path, New: filepath.Join(top, "out", "v"), Err: full}
				}
				return nil
			}))
		}, "out/v: "},
		"write": {nil, "write out/v: "},
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			files := set("new", "v", "record")
			if step.fail == nil {
				files[0].Write = func(io.Writer) error {
					staged, err := filepath.Glob(filepath.Join(top, "out", prefix+"*", newFiles, "v"))
					if err != nil || len(staged) != 1 {
						t.Error(staged, err)
					}
					return errors.Join(&fs.PathError{Op: "write", Path: staged[0], Err: full})
				}
			}
			write(t, "out", "old", "v", "mine", "record")
			if step.fail != nil {
				step.fail(t)
			}
			_, _, err := Write("out", files, "record")
			if !errors.Is(err, full) || strings.Contains(err.Error(), prefix) || !strings.Contains(filepath.ToSlash(err.Error()), step.want) {
				t.Errorf("Write: error %v, want %q", err, step.want)
			}
			err = Add("out", files[0], "record")
			if !errors.Is(err, full) || strings.Contains(err.Error(), prefix) || !strings.Contains(filepath.ToSlash(err.Error()), step.want) {
				t.Errorf("Add: error %v, want %q", err, step.want)
			}
		})
	}
}
