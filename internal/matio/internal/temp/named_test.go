package temp

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

// Errors of a temporary file, of its creation and of its renaming name the file that it stands for.
func TestErrorsNameTheFile(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("n", 250)) // too long with more characters
	path := filepath.Join(dir, "x")
	for name, err := range map[string]error{
		long: WriteFile(long, func(io.Writer) error { return nil }),
		path: ReplaceFile(path, func(_ *os.Root, tmp *os.File) error {
			return errors.Join(&fs.PathError{Op: "write", Path: tmp.Name(), Err: syscall.ENOSPC})
		}),
		filepath.Join(dir, "y"): WriteFile(filepath.Join(dir, "y"), func(io.Writer) error {
			return os.MkdirAll(filepath.Join(dir, "y", "z"), 0o777) // nothing can be renamed to it
		}),
	} {
		if err == nil || strings.Contains(err.Error(), prefix) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one about %s", err, name)
		}
	}
}
