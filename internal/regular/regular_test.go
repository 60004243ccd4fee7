package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/must"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	must.Do(t, os.WriteFile(path, []byte("{}"), 0o666))
	if text, err := ReadFile(path, MostRecord); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ReadFile(dir, MostRecord); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), MostRecord); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A file that claims more than the limit is refused without being read, one that grows
// past it while it is read as well.
func TestLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	must.Do(t, os.WriteFile(path, []byte("12345"), 0o666))
	for limit, ok := range map[int64]bool{4: false, 5: true, 6: true} {
		file := must.Get(Open(path))(t)
		text, err := readAll(file, path, limit)
		file.Close()
		if ok && (err != nil || string(text) != "12345") || !ok && !errors.Is(err, ErrTooLarge) {
			t.Errorf("limit %d: %q, %v", limit, text, err)
		}
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip("no file of 1 TiB here: ", err)
	}
	if _, err := ReadFile(path, MostRecord); !errors.Is(err, ErrTooLarge) {
		t.Errorf("1 TiB: %v", err)
	}
}
