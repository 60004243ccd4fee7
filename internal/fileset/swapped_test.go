package fileset

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// swapEnv makes this test binary a process that replaces temporary folders by links: FOLDER
// VICTIM. It ends when its standard input does.
const swapEnv = "NMU_TEST_SWAP"

// swap replaces every temporary folder in dir by a link to a folder of someone else.
func swap(dir, victim string) {
	entries, _ := os.ReadDir(dir)
	for n, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if os.Rename(path, filepath.Join(dir, fmt.Sprintf("taken-%d-%d", time.Now().UnixNano(), n))) == nil {
			os.Symlink(victim, path)
		}
	}
}

// swapUntilEOF calls swap until standard input ends.
func swapUntilEOF(dir, victim string) {
	done := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	for {
		select {
		case <-done:
			return
		default:
			swap(filepath.Dir(dir), victim)
			swap(dir, victim)
		}
	}
}

// victim makes a folder with the names that a set has in its temporary folder.
func victim(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"journal": "mine", "commit": "mine", "mine": "mine"}
	for _, name := range []string{"v", "w", "record"} {
		files["new/"+name], files["old/"+name], files[name] = "mine", "mine", "mine"
	}
	plant(t, dir, files)
	return dir
}

// Someone who may write to the folder or its parent puts a link in the place of the temporary
// folder, at every step. Nothing changes where the link leads.
func TestTemporaryFolderSwappedAtEveryStep(t *testing.T) {
	for _, way := range ways {
		for step, done := 0, false; !done; step++ {
			dir, _, _ := earlier(t, way.foreign)
			there := victim(t)
			before, n := tree(t, there), 0
			take := func() {
				if n++; n == step+1 {
					swap(dir, there)
					swap(filepath.Dir(dir), there)
				}
			}
			restore := atEveryStep(func(string) error { take(); return nil })
			files := set("new", "v", "w", "record")
			for i, file := range files {
				files[i].Write = func(w io.Writer) error {
					take()
					return file.Write(w)
				}
			}
			Write(dir, files, "record") // with an error or without
			restore()
			if after := tree(t, there); after != before {
				t.Fatalf("%s, step %d: there was\n%sand is now\n%s", way.name, step, before, after)
			}
			done = n <= step
		}
	}
}
