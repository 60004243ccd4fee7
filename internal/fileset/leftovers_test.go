package fileset

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A check removes the folders of checks that were killed, but none that holds a file.
func TestKilledCheckLeavesNothing(t *testing.T) {
	for _, name := range []string{"out", filepath.Join("a", "b", "out"), "."} {
		top := t.TempDir()
		plant(t, top, map[string]string{
			".nmu-0123456789abcdef.probe/": "", ".nmu-00ab.probe/a/b/": "", ".nmu-00ff.probe/mine": "mine own",
			".nmu-other.probe/": "", ".nmu-.probe/": "",
		})
		if err := Check(filepath.Join(top, name), []string{"v"}); err != nil {
			t.Fatal(err)
		}
		is(t, top, ".nmu-.probe, .nmu-00ff.probe, .nmu-other.probe")
	}
}

// A temporary folder in which nothing can be made goes.
func TestFailedMkdirLeavesNothing(t *testing.T) {
	defer func() { mkdir = (*os.Root).Mkdir }()
	for _, broken := range []string{newFiles, oldFiles} {
		mkdir = (*os.Root).Mkdir
		dir, old, _ := earlier(t, "mine")
		mkdir = func(root *os.Root, name string, mode fs.FileMode) error {
			if name == broken {
				return fs.ErrPermission
			}
			return root.Mkdir(name, mode)
		}
		if _, _, err := Write(dir, set("new", "v"), ""); err == nil {
			t.Error("no error")
		}
		is(t, dir, old)
	}
}
