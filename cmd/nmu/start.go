package main

import (
	"fmt"
	"path/filepath"
	"slices"

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

// readStart reads V.npy and W.npy from a folder.
func readStart[T lnmu.Float](dir string) (v, w lnmu.Dense[T], err error) {
	if v, err = readFactor[T](filepath.Join(dir, nameV)); err == nil {
		w, err = readFactor[T](filepath.Join(dir, nameW))
	}
	if err != nil {
		err = fmt.Errorf("--init %s (neither random nor svd, so a folder): %w", dir, err)
	}
	return v, w, err
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
