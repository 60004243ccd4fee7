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

// Rotate writes the file name in the folder dir, which it makes if necessary, and keeps the
// earlier one under the name old. At any time, also after a power cut or kill -9, one of the
// two is complete. After an error the last complete one is there. Both names, and the temporary
// name-new, should begin with the prefix of this package.
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
	// The file may be a link, so remove it instead of writing to it.
	if err := root.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return whole(err, root)
	}
	err = write(file)
	if err = errors.Join(err, syncFile(file), file.Close()); err != nil {
		return errors.Join(err, root.Remove(fresh))
	}
	if err := rename(root, name, root, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := rename(root, fresh, root, name); err != nil {
		return err
	}
	syncFolder(root)
	return nil
}

// Discard removes the files of Rotate in the folder dir.
func Discard(dir, name, old string) error {
	root, err := os.OpenRoot(dir)
	if err != nil && notFolder(dir) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	var failed error
	for _, n := range []string{old, name + "-new", name} {
		if err := root.Remove(n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// notFolder says whether dir is not a folder.
func notFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err != nil || !info.IsDir()
}

// Foreign returns the name of something in the folder dir that Write, with these names and this
// record, might replace without the user's knowledge. If the folder has no record of an earlier
// set, this is anything. Otherwise it is a file to be replaced that is not of that set, or was
// changed since. Foreign returns "" if there is nothing. It ignores temporary files of this
// package.
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

// isRecord says whether a file is the record of a set.
func isRecord(path string) bool {
	text, err := regular.ReadFile(path)
	var list struct{ Files map[string]string }
	return err == nil && json.Unmarshal(text, &list) == nil && list.Files != nil
}
