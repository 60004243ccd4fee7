package factor

import (
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/must"
)

// The processes compare the result.json beside a start and beside fixed factors, which has their
// names; also whether there is one.
func TestContentsHasRecords(t *testing.T) {
	input, dir := filepath.Join(t.TempDir(), "m.csv"), t.TempDir()
	for _, path := range []string{input, filepath.Join(dir, "V.npy"), filepath.Join(dir, "W.npy")} {
		must.Do(t, os.WriteFile(path, []byte("1"), 0o666))
	}
	for name, set := range map[string]func(f *commandLine){
		"--init":     func(f *commandLine) { f.Command.Start = dir },
		"--fix-v":    func(f *commandLine) { f.FixV = dir },
		"--fix-w":    func(f *commandLine) { f.FixW = filepath.Join(dir, "W.npy") },
		"--continue": func(f *commandLine) { f.Continued = dir },
	} {
		seen := map[[32]byte]bool{}
		for _, text := range []string{"", `{"row_names": ["a", "b"]}`, `{"row_names": ["b", "a"]}`} {
			record := filepath.Join(dir, "result.json")
			os.Remove(record)
			if text != "" {
				must.Do(t, os.WriteFile(record, []byte(text), 0o666))
			}
			_, f := newFactor()
			f.Path, f.Command.Start = input, "random"
			set(f)
			sum := must.Get(f.contents())(t)
			if seen[sum] {
				t.Errorf("%s: record %q does not show", name, text)
			}
			seen[sum] = true
		}
	}
}
