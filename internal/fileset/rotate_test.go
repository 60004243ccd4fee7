package fileset

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Whichever step fails, or is the last one, a whole file is there: the new one, or the
// one before.
func TestRotate(t *testing.T) {
	never := errors.New("not permitted")
	for fail := range 5 {
		dir := filepath.Join(t.TempDir(), "a", "b")
		write := func(text string, end error) error {
			return Rotate(dir, ".nmu-x", ".nmu-x-old", func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return errors.Join(err, end)
			})
		}
		for _, text := range []string{"one", "two"} {
			if err := write(text, nil); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		before := rename
		rename = func(from *os.Root, a string, to *os.Root, b string) error {
			if n++; n == fail {
				return never
			}
			return before(from, a, to, b)
		}
		var end error
		if fail == 4 {
			end = never
		}
		err := write("three", end)
		rename = before
		last, errLast := os.ReadFile(filepath.Join(dir, ".nmu-x"))
		old, errOld := os.ReadFile(filepath.Join(dir, ".nmu-x-old"))
		var got string
		switch {
		case errLast == nil:
			got = string(last)
		case errors.Is(errLast, fs.ErrNotExist) && errOld == nil:
			got = string(old)
		}
		want := "three"
		if fail == 1 || fail == 2 || fail == 4 {
			want = "two"
		}
		if got != want || (err != nil) != (want == "two") {
			t.Errorf("step %d failed: %q is there, want %q: %v", fail, got, want, err)
		}
		if err := Discard(dir, ".nmu-x", ".nmu-x-old"); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%v are left, %v", left, err)
		}
	}
	if err := Discard(filepath.Join(t.TempDir(), "nowhere"), "x", "y"); err != nil {
		t.Error(err)
	}
}

// What someone has put under the name of the file that is being written is not written
// to: a link goes, a folder that holds something is an error.
func TestRotateFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) error {
		return Rotate(dir, ".nmu-x", ".nmu-x-old", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	put(t, dir, "victim")
	for _, name := range []string{".nmu-x-new", ".nmu-x", ".nmu-x-old"} {
		os.Remove(filepath.Join(dir, name))
		if err := os.Symlink("victim", filepath.Join(dir, name)); err != nil {
			t.Skipf("NOT TESTED: links cannot be used on this machine by this user: %v", err)
		}
		if err := write("state"); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "victim")); err != nil || string(text) != "mine" {
			t.Fatalf("%s: the victim holds %q, %v", name, text, err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, ".nmu-x")); err != nil || string(text) != "state" {
			t.Fatalf("%s: the file holds %q, %v", name, text, err)
		}
	}
	plant(t, dir, map[string]string{".nmu-x-new/full": ""})
	if err := write("later"); err == nil {
		t.Error("a folder is in the way, and there is no error")
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".nmu-x")); err != nil || string(text) != "state" {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// What others have put into a folder is found, unless it is beside an earlier set.
func TestForeign(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(t *testing.T, dir string)
		want string
	}{
		{"no folder", func(t *testing.T, dir string) { os.Remove(dir) }, ""},
		{"empty", func(*testing.T, string) {}, ""},
		{"temporary", func(t *testing.T, dir string) { put(t, dir, ".nmu-checkpoint") }, ""},
		{"other file", func(t *testing.T, dir string) { put(t, dir, "thesis.tex") }, "thesis.tex"},
		{"other folder", func(t *testing.T, dir string) { os.Mkdir(filepath.Join(dir, "sub"), 0o777) }, "sub"},
		{"other record", func(t *testing.T, dir string) { put(t, dir, "record") }, "record"},
		{"an earlier set", ours, ""},
		{"beside one", func(t *testing.T, dir string) { ours(t, dir); put(t, dir, "notes") }, ""},
		{"in the way", func(t *testing.T, dir string) { ours(t, dir); put(t, dir, "w") }, "w"},
		{"changed", func(t *testing.T, dir string) { ours(t, dir); put(t, dir, "v") }, "v"},
	} {
		dir := t.TempDir()
		c.put(t, dir)
		if got, err := Foreign(dir, []string{"v", "w", "record"}, "record"); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q, %v", c.name, got, c.want, err)
		}
	}
}

func put(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func ours(t *testing.T, dir string) {
	t.Helper()
	if _, _, err := Write(dir, set("new", "v", "record"), "record"); err != nil {
		t.Fatal(err)
	}
}
