package regular

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/must"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	must.Do(t, os.WriteFile(path, []byte("{}"), 0o666))
	must.Equal(t, string(must.Get(ReadFile(path, MostRecord))(t)), "{}")
	must.Refuse(ReadFile(dir, MostRecord))(t, ErrNotRegular, "a directory", "a directory")
	must.Refuse(ReadFile(filepath.Join(dir, "none"), MostRecord))(t, fs.ErrNotExist, "", "no file")
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
	must.Refuse(ReadFile(path, MostRecord))(t, ErrTooLarge, "", "1 TiB")
}

// Of a long file a sample is compared: its size, its ends, and what lies between them.
func TestSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	const size = 3*wholeSample + 12345
	must.Do(t, os.WriteFile(path, nil, 0o666))
	must.Do(t, os.Truncate(path, size))
	sum := func() string {
		t.Helper()
		h := sha256.New()
		must.Do(t, Sample(h, path))
		return string(h.Sum(nil))
	}
	file := must.Get(os.OpenFile(path, os.O_WRONLY, 0))(t)
	defer file.Close()
	seen := map[string]bool{sum(): true}
	more := func(what string) {
		t.Helper()
		if s := sum(); seen[s] {
			t.Errorf("%s does not show", what)
		} else {
			seen[s] = true
		}
	}
	for _, at := range []int64{0, size - 1, size - sampleBlock} {
		must.Get(file.WriteAt([]byte{1}, at))(t)
		more(fmt.Sprintf("byte %d", at))
	}
	must.Get(file.WriteAt(bytes.Repeat([]byte{2}, 4*sampleBlock), size/2))(t)
	more("a stretch in the middle")
	must.Do(t, os.Truncate(path, size+1))
	more("the size")
}
