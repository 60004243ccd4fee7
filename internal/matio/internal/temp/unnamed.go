package temp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
)

// Create creates a temporary file in a folder, or in that of the system if folder is nil. The
// file has no name if the system allows that. Otherwise named is true, and Remove removes it.
func Create(folder *os.Root) (file *os.File, named bool, err error) {
	if folder == nil {
		if folder, err = os.OpenRoot(os.TempDir()); err != nil {
			return nil, false, err
		}
		defer folder.Close()
	}
	if file, err = unnamed(folder); err == nil {
		return file, false, nil
	}
	name := fmt.Sprintf("%s%016x.tmp", prefix, rand.Uint64())
	if file, err = folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return nil, false, err
	}
	return file, folder.Remove(name) != nil, nil
}

// Remove closes a file of Create and removes its name, if it has one.
func Remove(file *os.File, named bool) error {
	err := file.Close()
	if named {
		err = errors.Join(err, os.Remove(file.Name()))
	}
	return err
}
