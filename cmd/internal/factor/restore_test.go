package factor

import (
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/checkpoint"
	"nmu/internal/must"
)

// TestRestore: a run goes on in another folder with its flags. Paths of files lead to the folder where
// it was started. The name of a start stays, even if that folder holds a file of this name.
func TestRestore(t *testing.T) {
	started := t.TempDir()
	for _, name := range []string{"random", "mask.csv"} {
		must.Do(t, os.WriteFile(filepath.Join(started, name), nil, 0o666))
	}
	t.Chdir(t.TempDir())
	from := &checkpoint.State{Note: checkpoint.Note{Folder: started, Flags: [][2]string{
		{"init", "random"}, {"mask", "mask.csv"}, {"out", "before"}, {"force", "true"}, {"threads", "3"}, {"seed", "7"},
	}}}
	cmd, _ := newFactor()
	c := cmd.Call(nil)
	must.Do(t, Restore(c, "now", from, func(flag string) bool { return flag == "threads" }))
	for name, want := range map[string]string{
		"init": "random", "mask": filepath.Join(started, "mask.csv"), "out": "now", "force": "", "threads": "", "seed": "7",
	} {
		must.Equal(t, c.Text(name), want, "--"+name)
	}
}
