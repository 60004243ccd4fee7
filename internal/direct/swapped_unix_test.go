//go:build unix

package direct

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"nmu/internal/must"
)

// TestScratchSwapped: a scratch file is removed from the folder in which it was created, and nothing else
// is opened, while another program puts a link to another folder in place of that folder again and again.
func TestScratchSwapped(t *testing.T) {
	top := t.TempDir()
	path := func(name string) string { return filepath.Join(top, name) }
	for _, name := range []string{"mine", "other"} {
		must.Do(t, os.Mkdir(path(name), 0o700))
	}
	must.Do(t, os.Symlink(path("mine"), path("scratch")))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for k := 0; ; k++ {
			select {
			case <-stop:
				return
			default:
			}
			next := path("next")
			if os.Symlink(path([]string{"other", "mine"}[k%2]), next) != nil || os.Rename(next, path("scratch")) != nil {
				t.Error("the link is not replaced")
				return
			}
		}
	}()
	begun := time.Now()
	for k := 0; k < 2000 && (k < 50 || time.Since(begun) < 200*time.Millisecond); k++ {
		f := must.Get(Scratch(path("scratch"), Page))(t)
		if p := Bytes(Make[float64](Page / 8)); f.WriteAt(p, 0) != nil {
			t.Error("a scratch file is not written")
		}
		must.Equal(t, f.Close(), nil, "closing")
	}
	close(stop)
	<-stopped
	for _, name := range []string{"mine", "other"} {
		left, err := os.ReadDir(path(name))
		if err != nil || len(left) > 0 {
			t.Errorf("%s holds %v, %v", name, left, err)
		}
	}
}
