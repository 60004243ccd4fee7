package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// outFile is a file of an output folder; write creates it at the given path.
type outFile struct {
	name  string
	write func(path string) error
}

// staging is the pattern of the name of a temporary folder in an output folder.
const staging = ".nmu-*"

// checkFolder reports whether files of these names can be written to the folder
// dir, which need not exist, and leaves everything as it was.
func checkFolder(dir string, names []string) error {
	created, err := makeFolder(dir)
	if err != nil {
		return err
	}
	defer removeFolders(created)
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is in the way: it is no regular file", path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	stage, err := os.MkdirTemp(dir, staging)
	if err != nil {
		return err
	}
	return os.Remove(stage)
}

// writeFolder writes the files to the folder dir, which need not exist, and
// returns their names. The files are written to a temporary folder in dir and
// take their places when all are complete. If anything fails, no file is there.
func writeFolder(dir string, files []outFile) (names []string, err error) {
	created, err := makeFolder(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			removeFolders(created)
		}
	}()
	stage, err := os.MkdirTemp(dir, staging)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	for _, f := range files {
		if err := f.write(filepath.Join(stage, f.name)); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if err := os.Rename(filepath.Join(stage, f.name), filepath.Join(dir, f.name)); err != nil {
			for _, name := range names {
				os.Remove(filepath.Join(dir, name))
			}
			os.RemoveAll(stage) // before the folder itself
			return nil, err
		}
		names = append(names, f.name)
	}
	return names, nil
}

// makeFolder creates dir with its parents, and returns the folders that were not
// there before, the innermost first.
func makeFolder(dir string) (created []string, err error) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		created = append(created, d)
		if d == filepath.Dir(d) {
			break
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		removeFolders(created)
		return nil, err
	}
	return created, nil
}

// removeFolders removes folders that are empty, the innermost first.
func removeFolders(dirs []string) {
	for _, dir := range dirs {
		os.Remove(dir)
	}
}
