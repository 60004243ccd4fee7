package factor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Of a long file a sample is compared: its size, its ends, and what lies between them.
func TestSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	const size = 3*wholeSample + 12345
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	sum := func() string {
		t.Helper()
		h := sha256.New()
		if err := sample(h, path); err != nil {
			t.Fatal(err)
		}
		return string(h.Sum(nil))
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := file.WriteAt([]byte{1}, at); err != nil {
			t.Fatal(err)
		}
		more(fmt.Sprintf("byte %d", at))
	}
	if _, err := file.WriteAt(bytes.Repeat([]byte{2}, 4*sampleBlock), size/2); err != nil {
		t.Fatal(err)
	}
	more("a stretch in the middle")
	if err := os.Truncate(path, size+1); err != nil {
		t.Fatal(err)
	}
	more("the size")
}
