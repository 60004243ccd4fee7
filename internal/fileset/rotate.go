package fileset

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/regular"
)

// Rotate writes the file name in the folder dir, which is made if it does not exist,
// and keeps the one before under the name old. Whatever happens meanwhile, also a power
// cut or kill -9, one of the two is whole afterwards; if there is an error, the last
// one that was. Both names, and the temporary one, name-new, begin as those of this
// package should.
func Rotate(dir, name, old string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	fresh := name + "-new"
	// What is there under this name, a link perhaps, is not written to.
	if err := root.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, root.Remove(fresh))
	}
	if err := rename(root, name, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := rename(root, fresh, name); err != nil {
		return err
	}
	syncFolder(dir)
	return nil
}

// Discard removes what Rotate has left in the folder dir.
func Discard(dir, name, old string) error {
	var failed error
	for _, n := range []string{old, name + "-new", name} {
		if err := os.Remove(filepath.Join(dir, n)); err != nil && !errors.Is(err, fs.ErrNotExist) && !notFolder(dir) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// notFolder reports whether there is no folder dir.
func notFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err != nil || !info.IsDir()
}

// Foreign returns the name of something in the folder dir that Write, with files of
// these names and this record, should not meet without being told: anything at all if
// the folder has no record of an earlier set; else a file that would be replaced
// although it is not of that set, or was changed since. It is empty if there is
// nothing. Temporary files of this package are passed over.
func Foreign(dir string, names []string, record string) (string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || notFolder(dir) {
		return "", nil // Check says what is wrong
	}
	if err != nil {
		return "", err
	}
	earlier, err := Recorded(dir, record)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, prefix) || name == record && isRecord(filepath.Join(dir, record)) {
			continue
		}
		if _, ours := earlier[name]; ours {
			continue
		}
		if !isRecord(filepath.Join(dir, record)) || slices.Contains(names, name) {
			return name, nil
		}
	}
	return "", nil
}

// isRecord reports whether a file is the record of a set.
func isRecord(path string) bool {
	text, err := regular.ReadFile(path)
	var list struct{ Files map[string]string }
	return err == nil && json.Unmarshal(text, &list) == nil && list.Files != nil
}
