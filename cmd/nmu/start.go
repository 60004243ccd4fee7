package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// readMatrix reads the matrix of an open file. The entries must not be changed,
// and are gone when the file is closed.
func readMatrix[T lnmu.Float](file *matio.File) (lnmu.Dense[T], error) {
	rows, cols, data, err := matio.Dense[T](file)
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	return lnmu.NewDense(rows, cols, data), nil
}

// readStart reads V.npy and W.npy from a folder. If they are the result of a run,
// they must be those of one and the same.
func readStart[T lnmu.Float](dir string) (v, w lnmu.Dense[T], err error) {
	err = fileset.Read(dir, func() (err error) {
		if v, err = readFactor[T](filepath.Join(dir, nameV)); err == nil {
			w, err = readFactor[T](filepath.Join(dir, nameW))
		}
		if err == nil {
			err = checkRecorded(dir, nameV, nameW)
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("--init %s (neither random nor svd, so a folder): %w", dir, err)
	}
	return v, w, err
}

// readBasis reads V from a file, or V.npy from a folder, where it must be that of
// the result.
func readBasis[T lnmu.Float](path string) (v lnmu.Dense[T], err error) {
	file := basisPath(path)
	if file == path {
		return readFactor[T](path)
	}
	err = fileset.Read(path, func() (err error) {
		if v, err = readFactor[T](file); err == nil {
			err = checkRecorded(path, nameV)
		}
		return err
	})
	return v, err
}

// basisPath returns the path of V: that of a file, or of V.npy in a folder.
func basisPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, nameV)
	}
	return path
}

// checkRecorded compares factors in a folder with result.json, which is written
// last: where it has their sums they must agree. Without it the files are the
// user's own.
func checkRecorded(dir string, names ...string) error {
	text, err := os.ReadFile(filepath.Join(dir, nameResult))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var rep struct {
		Precision string `json:"precision"`
		SHA256V   string `json:"sha256_v"`
		SHA256W   string `json:"sha256_w"`
	}
	if json.Unmarshal(text, &rep) != nil {
		return nil // not that of a run
	}
	sums := map[string]string{nameV: rep.SHA256V, nameW: rep.SHA256W}
	for _, name := range names {
		if sums[name] == "" {
			continue
		}
		sum, err := factorSum(filepath.Join(dir, name), rep.Precision)
		if err != nil {
			return err
		}
		if sum != sums[name] {
			return fmt.Errorf("%s is not that of %s: a run was cut short, or one of them was changed; "+
				"run it again, or remove %s to use the file as it is", filepath.Join(dir, name), nameResult, nameResult)
		}
	}
	return nil
}

// factorSum returns the SHA-256 of the values in a file, as the run of the given
// precision that wrote it had them.
func factorSum(path, precision string) (string, error) {
	if precision == "float32" {
		d, err := readFactor[float32](path)
		return d.SHA256(), err
	}
	d, err := readFactor[float64](path)
	return d.SHA256(), err
}

// readFactor reads a matrix into memory.
func readFactor[T lnmu.Float](path string) (lnmu.Dense[T], error) {
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		return lnmu.Dense[T]{}, err
	}
	defer file.Close()
	d, err := readMatrix[T](file)
	d.Data = slices.Clone(d.Data)
	return d, err
}

// pixels is the size of the images that are the columns of V; zero if unknown.
type pixels struct{ height, width int }

// imageSize returns the size given on the command line, or that of the images
// in the file.
func imageSize(given string, file *matio.File) (pixels, error) {
	rows, _ := file.Dims()
	if given == "" {
		h, w, _ := file.ImageSize()
		return pixels{h, w}, nil
	}
	h, w, err := parseImage(given)
	if err != nil {
		return pixels{}, err
	}
	if rows%h != 0 || rows/h != w {
		return pixels{}, fmt.Errorf("--image %s does not fit the columns of the matrix, which have %d entries", given, rows)
	}
	return pixels{h, w}, nil
}
