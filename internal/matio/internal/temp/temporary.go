// Package temp writes temporary files. Some replace another file when they are complete; others
// are removed when they are closed.
//
// A file of the first kind is locked while it is written. The next process that writes the same
// path removes files that a killed process has left. A file of the second kind has no name if
// the system allows that.
package temp

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
)

// prefix is the beginning of the names of temporary files.
const prefix = ".nmu-"

// tempName returns the beginning and the end of the names of the temporary files of a file. A
// hexadecimal number is between them.
func tempName(base string) (begin, end string) { return prefix + base + "-", ".tmp" }

// createTemp creates a file for the content of base that counts as in use until release is
// called. In contrast to os.CreateTemp, the file gets the permissions of an ordinary new file.
func createTemp(folder *os.Root, base string) (file *os.File, name string, release func(), err error) {
	begin, end := tempName(base)
	for try := 0; ; try++ {
		name := fmt.Sprintf("%s%08x%s", begin, rand.Uint32(), end)
		file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err != nil {
			return nil, "", nil, err
		}
		held, err := hold(folder, name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (held == nil || !names(folder, name, file)) {
			file.Close() // another process has taken it for stale already
			held.Close()
			continue
		}
		return file, name, func() { held.Close() }, nil // without a lock no one takes it for stale
	}
}

// sweepTemps removes the temporary files of base that killed processes of this user have left.
func sweepTemps(folder *os.Root, base string) {
	begin, end := tempName(base)
	dir, err := folder.Open(".")
	if err != nil {
		return
	}
	entries, _ := dir.ReadDir(-1) // a folder that cannot be read keeps what it holds
	dir.Close()
	for _, e := range entries {
		id, ok := strings.CutPrefix(e.Name(), begin)
		id, tmp := strings.CutSuffix(id, end)
		if !ok || !tmp || len(id) != 8 || strings.Trim(id, "0123456789abcdef") != "" || !e.Type().IsRegular() {
			continue
		}
		if file, err := hold(folder, e.Name()); err == nil && file != nil {
			if names(folder, e.Name(), file) {
				folder.Remove(e.Name())
			}
			file.Close()
		}
	}
}

// names says whether a file still has this name.
func names(folder *os.Root, name string, file *os.File) bool {
	there, err := folder.Lstat(name)
	if err != nil {
		return false
	}
	info, err := file.Stat()
	return err == nil && os.SameFile(there, info)
}
