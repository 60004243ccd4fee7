package temp

import (
	"errors"
	"os"
)

// Create creates a file in a folder that is gone when it is closed: where the system
// allows it it has no name, else named says that it has to be removed then.
func Create(dir string) (file *os.File, named bool, err error) {
	if file, err = unnamed(dir); err == nil {
		return file, false, nil
	}
	if file, err = os.CreateTemp(dir, ".nmu-*.tmp"); err != nil {
		return nil, false, err
	}
	return file, os.Remove(file.Name()) != nil, nil
}

// Remove closes a file of Create.
func Remove(file *os.File, named bool) error {
	err := file.Close()
	if named {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}
