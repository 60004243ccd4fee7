package temp

import (
	"errors"
	"os"
)

// Create creates a temporary file in dir. It has no name if the system allows that. Otherwise
// named is true, and Remove removes it.
func Create(dir string) (file *os.File, named bool, err error) {
	if file, err = unnamed(dir); err == nil {
		return file, false, nil
	}
	if file, err = os.CreateTemp(dir, ".nmu-*.tmp"); err != nil {
		return nil, false, err
	}
	return file, os.Remove(file.Name()) != nil, nil
}

// Remove closes a file of Create and removes its name, if it has one.
func Remove(file *os.File, named bool) error {
	err := file.Close()
	if named {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}
