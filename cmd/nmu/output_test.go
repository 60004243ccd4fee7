package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestWriteFolder(t *testing.T) {
	text := func(s string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(s), 0o666) }
	}
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b")
	if err := checkFolder(dir, []string{"x", "y"}); err != nil {
		t.Fatal(err)
	}
	noFile(t, filepath.Join(root, "a"))

	// A file that cannot be produced leaves nothing.
	broken := errors.New("broken")
	if _, err := writeFolder(dir, []outFile{{"x", text("1")}, {"y", func(string) error { return broken }}}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	noFile(t, filepath.Join(root, "a"))

	// Nor does one that cannot take its place.
	if err := os.MkdirAll(filepath.Join(dir, "y", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := writeFolder(dir, []outFile{{"x", text("1")}, {"y", text("2")}}); err == nil {
		t.Error("a file took the place of a folder")
	}
	if got := names(t, dir); !slices.Equal(got, []string{"y"}) {
		t.Errorf("left behind: %v", got)
	}

	// The files of an earlier run stay until those of a new one are complete.
	if err := os.RemoveAll(filepath.Join(dir, "y")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x, y func(string) error
		want string
	}{
		{text("1"), text("2"), "12"},
		{text("3"), func(string) error { return broken }, "12"},
		{text("4"), text("5"), "45"},
	} {
		writeFolder(dir, []outFile{{"x", c.x}, {"y", c.y}})
		x, _ := os.ReadFile(filepath.Join(dir, "x"))
		y, _ := os.ReadFile(filepath.Join(dir, "y"))
		if got := string(x) + string(y); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("files %v", got)
	}
}
