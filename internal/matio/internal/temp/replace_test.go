package temp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"nmu/internal/must"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	for _, text := range []string{"first", "second"} {
		must.Do(t, WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}))
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("content %q, %v, want %q", got, err, text)
		}
		if info, err := os.Stat(path); runtime.GOOS != "windows" && text == "second" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("the mode is %v, %v", info.Mode(), err)
		}
		must.Do(t, os.Chmod(path, 0o600))
	}
	// A failure leaves what was there, and nothing else.
	failed := errors.New("failed")
	err := WriteFile(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return failed
	})
	must.Equal(t, err, failed, "error")
	func() {
		defer func() {
			must.Equal[any](t, recover(), failed, "the panic of the writer is lost")
		}()
		WriteFile(path, func(io.Writer) error { panic(failed) })
	}()
	if got, err := os.ReadFile(path); err != nil || string(got) != "second" {
		t.Errorf("content %q, %v, want what was there", got, err)
	}
	list := must.Get(os.ReadDir(dir))(t)
	must.Equal(t, len(list), 1, "the folder holds")
}

func TestWriteFileErrors(t *testing.T) {
	dir := t.TempDir()
	called := false
	write := func(io.Writer) error { called = true; return nil }
	must.Fail(t, WriteFile(filepath.Join(dir, "missing", "a"), write), fs.ErrNotExist, "", "a folder that does not exist")
	if err := WriteFile(dir, write); err == nil {
		t.Error("a folder was written as a file")
	}
	if called {
		t.Error("the content was produced in vain")
	}
}

// The file gets the permissions that the system gives to new files.
func TestWriteFileMode(t *testing.T) {
	dir := t.TempDir()
	plain, ours := filepath.Join(dir, "plain"), filepath.Join(dir, "ours")
	must.Do(t, os.WriteFile(plain, nil, 0o666))
	must.Do(t, WriteFile(ours, func(io.Writer) error { return nil }))
	a := must.Get(os.Stat(plain))(t)
	b := must.Get(os.Stat(ours))(t)
	must.Equal(t, a.Mode(), b.Mode(), "mode")
}
