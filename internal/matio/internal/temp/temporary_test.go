package temp

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"nmu/internal/must"
)

// What a killed process has left of a file goes when that is written; what is being
// written, and what is named otherwise, stays.
func TestStaleTemporaries(t *testing.T) {
	dir := t.TempDir()
	folder := must.Get(os.OpenRoot(dir))(t)
	defer folder.Close()
	path := filepath.Join(dir, "c.npy")
	stays := []string{".nmu-c.npy-0123456.tmp", ".nmu-c.npy-0123456g.tmp", ".nmu-c.npy-01234567", ".nmu-d.npy-01234567.tmp", "c.npy-01234567.tmp"}
	for _, name := range append(stays, ".nmu-c.npy-01234567.tmp", ".nmu-c.npy-89abcdef.tmp") {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	if file, err := hold(folder, ".nmu-c.npy-01234567.tmp"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("NOT TESTED: locks cannot be used on this machine")
	} else {
		file.Close()
	}
	must.Do(t, os.Mkdir(filepath.Join(dir, ".nmu-c.npy-fedcba98.tmp"), 0o777))
	stays = append(stays, ".nmu-c.npy-fedcba98.tmp", "c.npy")
	slices.Sort(stays)
	list := func() (names []string) {
		entries := must.Get(os.ReadDir(dir))(t)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	must.Do(t, WriteFile(path, func(io.Writer) error {
		before := list()
		if err := WriteFile(path, func(io.Writer) error { return nil }); err != nil {
			return err
		}
		before = append(before, "c.npy")
		slices.Sort(before)
		must.EqualSlices(t, list(), before, "while it was written")
		return nil
	}))
	must.EqualSlices(t, list(), stays, "there")
}

// Writers of one file at once all succeed, and leave nothing but it.
func TestWritersAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.npy")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if err := WriteFile(path, func(io.Writer) error { return nil }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	must.Equal(t, len(must.Get(os.ReadDir(dir))(t)), 1, "there")
}
