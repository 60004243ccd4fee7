package temp

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// tempName returns the beginning and the end of the names of the temporary files of path. A
// hexadecimal number is between them.
func tempName(path string) (dir, begin, end string) {
	dir, base := filepath.Split(path)
	return dir, ".nmu-" + base + "-", ".tmp"
}

// createTemp creates a file beside path that counts as in use until release is called. In
// contrast to os.CreateTemp, the file gets the permissions of an ordinary new file.
func createTemp(path string) (file *os.File, release func(), err error) {
	dir, begin, end := tempName(path)
	for try := 0; ; try++ {
		name := fmt.Sprintf("%s%s%08x%s", dir, begin, rand.Uint32(), end)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		held, err := hold(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (held == nil || !names(name, file)) {
			file.Close() // another process has taken it for stale already
			held.Close()
			continue
		}
		return file, func() { held.Close() }, nil // without a lock no one takes it for stale
	}
}

// sweepTemps removes the temporary files of path that killed processes of this user have left.
func sweepTemps(path string) {
	dir, begin, end := tempName(path)
	entries, _ := os.ReadDir(filepath.Clean(dir)) // a folder that cannot be read keeps what it holds
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), begin)
		id, tmp := strings.CutSuffix(id, end)
		if !ok || !tmp || len(id) != 8 || strings.Trim(id, "0123456789abcdef") != "" || !e.Type().IsRegular() {
			continue
		}
		name := dir + e.Name()
		if file, err := hold(name); err == nil && file != nil {
			if names(name, file) {
				os.Remove(name)
			}
			file.Close()
		}
	}
}

// names says whether a file still has this name.
func names(name string, file *os.File) bool {
	there, err := os.Lstat(name)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(there, info)
}
