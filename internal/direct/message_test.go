package direct

import (
	"strings"
	"testing"

	"nmu/internal/must"
)

// Errors about a scratch file name its folder, not the file, whose name is gone.
func TestScratchErrorsNameFolder(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(Scratch(dir, Page))(t)
	must.Do(t, f.Close())
	p := Bytes(Make[float64](Page / 8))
	_, read := f.ReadAt(p, 0)
	for _, err := range []error{read, f.WriteAt(p, 0)} {
		if err == nil || !strings.Contains(err.Error(), "a scratch file in "+dir) || strings.Contains(err.Error(), ".nmu-") {
			t.Errorf("error %v", err)
		}
	}
}
