package fileset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// folder is a folder under its lock.
type folder struct {
	path    string       // absolute, without symbolic links
	made    []madeFolder // folders that were not there before, the innermost first
	locked  bool         // false where there is no lock
	release func()
	root    *os.Root // the folder, after open
	parent  *os.Root // the parent of the folder, after above
}

// madeFolder is a folder that this process has made.
type madeFolder struct {
	path string
	info fs.FileInfo
}

// lockFolder waits for the lock of an existing folder.
func lockFolder(dir string) (*folder, error) {
	path := dir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		path = real
	} else if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	release, err := acquire(path)
	switch {
	case err == nil:
		return &folder{path: path, locked: true, release: release}, nil
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrPermission):
		return &folder{path: path, release: func() {}}, nil
	}
	return nil, err
}

// makeFolder makes dir with its parents and waits for its lock. Another process that made the
// same folder, and failed, may remove it meanwhile.
func makeFolder(dir string) (*folder, error) {
	var made []madeFolder
	for try := 0; ; try++ {
		more, err := mkdirs(filepath.Clean(dir))
		made = append(more, made...)
		var f *folder
		if err == nil {
			f, err = lockFolder(dir)
		}
		if err == nil {
			f.made = made
			return f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || try == tries {
			(&folder{made: made}).unmake()
			return nil, err
		}
	}
}

// mkdirs makes dir and its parents, and returns those that it made itself, the
// innermost first.
func mkdirs(dir string) (made []madeFolder, err error) {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		return nil, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = mkdirs(parent); err != nil {
			return made, err
		}
	}
	err = os.Mkdir(dir, 0o777)
	if err == nil {
		info, err := os.Lstat(dir)
		return append([]madeFolder{{dir, info}}, made...), err
	}
	switch info, serr := os.Stat(dir); {
	case serr == nil && info.IsDir():
		return made, nil // by another process
	case errors.Is(err, fs.ErrExist) && errors.Is(serr, fs.ErrNotExist):
		return made, serr // another process removed it: makeFolder tries once more
	}
	return made, err
}

// unmake removes the folders that makeFolder made, if they are empty.
func (f *folder) unmake() {
	f.shut() // some systems keep a folder that is open
	for _, m := range f.made {
		root, err := os.OpenRoot(filepath.Dir(m.path))
		if err != nil {
			continue
		}
		name := filepath.Base(m.path)
		if now, err := root.Lstat(name); err == nil && m.info != nil && os.SameFile(now, m.info) {
			root.Remove(name)
		}
		root.Close()
	}
}

// checkNames returns an error unless files of these names can be written to the folder.
func (f *folder) checkNames(names []string) error {
	for _, name := range names {
		if !plainName(name) {
			return fmt.Errorf("%q is no name of a file of a set", name)
		}
		path := filepath.Join(f.path, name)
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is in the way: it is no regular file", path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// obsolete returns the files that the record lists and a new set lacks.
func (f *folder) obsolete(record string, fresh map[string]string) (map[string]string, error) {
	gone, err := recorded(f.root, record)
	for name := range fresh {
		delete(gone, name)
	}
	return gone, err
}

// open opens the folder for changes.
func (f *folder) open() (err error) {
	f.root, err = os.OpenRoot(f.path)
	return err
}

// above opens the parent of the folder.
func (f *folder) above() (*os.Root, error) {
	if f.parent != nil {
		return f.parent, nil
	}
	parent, err := os.OpenRoot(filepath.Dir(f.path))
	if err != nil {
		return nil, err
	}
	if !isAt(f.root, parent, filepath.Base(f.path)) {
		parent.Close()
		return nil, fs.ErrNotExist
	}
	f.parent = parent
	return parent, nil
}

// isAt says whether an open folder is the one of this name in another.
func isAt(root, parent *os.Root, name string) bool {
	here, err := root.Stat(".")
	if err != nil {
		return false
	}
	there, err := parent.Lstat(name)
	return err == nil && os.SameFile(here, there)
}

// shut closes what open and above have opened.
func (f *folder) shut() {
	for _, root := range []*os.Root{f.root, f.parent} {
		if root != nil {
			root.Close()
		}
	}
}

// close releases the folder.
func (f *folder) close() {
	f.shut()
	f.release()
}

// besidePrefix is the beginning of the names of temporary folders beside the folder.
func (f *folder) besidePrefix() string { return prefix + filepath.Base(f.path) + "-" }
