package temp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile calls write to produce the content of the file path. The path holds either the
// complete new content or the old one: the content goes to a hidden temporary file in the same
// folder, is synced to the disk, and is then renamed to path. If write fails, WriteFile removes
// the temporary file and returns the error. On systems with locks, the next write to path
// removes the temporary file of a killed process. The writer is buffered. A path that exists
// and is no regular file is an error. The new content has the permissions of the old one.
func WriteFile(path string, write func(io.Writer) error) error {
	return ReplaceFile(path, func(_ *os.Root, tmp *os.File) error {
		w := bufio.NewWriterSize(tmp, 1<<16)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// ReplaceFile is WriteFile with the temporary file itself as an argument of write, and the
// folder of path. The folder stays open: if another user replaces it by a link meanwhile,
// nothing is written where that leads.
func ReplaceFile(path string, write func(folder *os.Root, tmp *os.File) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: not a regular file, so it cannot be replaced; choose another name", path)
	}
	dir, base := filepath.Split(path)
	folder, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return err
	}
	defer folder.Close()
	sweepTemps(folder, base)
	tmp, name, release, err := createTemp(folder, base)
	if err != nil {
		return named(err, path)
	}
	defer release()
	renamed := false
	defer func() {
		if !renamed { // write may also have panicked
			tmp.Close() // a second time, maybe: the error is of no interest
			folder.Remove(name)
		}
	}()
	if info, err := folder.Lstat(base); err == nil && info.Mode().IsRegular() { // as private as the old one
		if err := tmp.Chmod(info.Mode().Perm()); err != nil {
			return named(err, path)
		}
	}
	if err := write(folder, tmp); err != nil {
		return named(err, path)
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return named(err, path)
	}
	if err := folder.Rename(name, base); err != nil {
		return named(err, path)
	}
	renamed = true
	return nil
}

// named returns an error about a temporary file with the path that it stands for.
func named(err error, path string) error {
	var file *fs.PathError
	var names *os.LinkError
	switch {
	case errors.As(err, &file) && strings.HasPrefix(filepath.Base(file.Path), prefix):
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	case errors.As(err, &names) && strings.HasPrefix(filepath.Base(names.Old), prefix):
		return &fs.PathError{Op: names.Op, Path: path, Err: names.Err}
	}
	return err
}
