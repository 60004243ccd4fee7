package factor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"nmu/internal/must"
)

// Of a long file a sample is compared: its size, its ends, and what lies between them.
func TestSample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long")
	const size = 3*wholeSample + 12345
	must.Do(t, os.WriteFile(path, nil, 0o666))
	must.Do(t, os.Truncate(path, size))
	sum := func() string {
		t.Helper()
		h := sha256.New()
		must.Do(t, sample(h, path))
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
