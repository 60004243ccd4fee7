package factor

import (
	"os"
	"path/filepath"
	"testing"
)

// The processes compare the result.json beside a start and beside fixed factors, which has their
// names; also whether there is one.
func TestContentsHasRecords(t *testing.T) {
	input, dir := filepath.Join(t.TempDir(), "m.csv"), t.TempDir()
	for _, path := range []string{input, filepath.Join(dir, "V.npy"), filepath.Join(dir, "W.npy")} {
		if err := os.WriteFile(path, []byte("1"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, set := range map[string]func(f *commandLine){
		"--init":     func(f *commandLine) { f.init = dir },
		"--fix-v":    func(f *commandLine) { f.FixV = dir },
		"--fix-w":    func(f *commandLine) { f.FixW = filepath.Join(dir, "W.npy") },
		"--continue": func(f *commandLine) { f.continued = dir },
	} {
		seen := map[[32]byte]bool{}
		for _, text := range []string{"", `{"row_names": ["a", "b"]}`, `{"row_names": ["b", "a"]}`} {
			record := filepath.Join(dir, "result.json")
			os.Remove(record)
			if text != "" {
				if err := os.WriteFile(record, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			f := newFactor().flags
			f.Path, f.init = input, "random"
			set(&f)
			sum, err := f.contents()
			if err != nil {
				t.Fatal(err)
			}
			if seen[sum] {
				t.Errorf("%s: record %q does not show", name, text)
			}
			seen[sum] = true
		}
	}
}
