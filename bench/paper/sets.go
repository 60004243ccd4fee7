package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// Names of the data sets of section 4.
const (
	setCBCL    = "cbcl"
	setSwimmer = "swimmer"
	setHubble  = "hubble"
	setKuls    = "kuls"
)

// Sets returns the names of the data sets, in the order of the paper.
func Sets() []string { return []string{setCBCL, setSwimmer, setHubble, setKuls} }

// setSpec describes a data set before it is loaded.
type setSpec struct {
	title         string
	file          string // without its extension, in the folder of the data
	rank          int
	height, width int                // of an image
	columns, zoom int                // of the figure
	generate      func() dataset.Set // equals the published set; nil: only from a file
}

var setSpecs = map[string]setSpec{
	setCBCL:    {title: "CBCL faces", file: "CBCL", rank: 49, height: 19, width: 19, columns: 17, zoom: 2},
	setSwimmer: {title: "Swimmer", file: "Swimmer", rank: 8, height: 20, width: 11, columns: 8, zoom: 4, generate: dataset.Swimmer},
	setHubble:  {title: "Hubble telescope", file: "Hubble", rank: 8, height: 128, width: 128, columns: 8, zoom: 1},
	setKuls:    {title: "Kuls faces", file: "Kuls", rank: 5, height: 64, width: 64, columns: 5, zoom: 2},
}

// images is a loaded data set.
type images struct {
	setSpec
	source string // file, or what was generated
	m      lnmu.Dense[float64]
}

// errNoData reports a set that has no file and cannot be generated.
var errNoData = errors.New("data set not found")

// loadSet reads or generates a set.
func loadSet(name, dir string) (*images, error) {
	s := &images{setSpec: setSpecs[name]}
	if dir == "" {
		dir = dataset.Folder()
	}
	for _, ext := range []string{".mat", ".npy"} {
		path := filepath.Join(dir, s.file+ext)
		switch _, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		}
		s.source = s.file + ext
		return s, s.read(path)
	}
	if s.generate == nil {
		return nil, fmt.Errorf("%w: no %s.mat or %[2]s.npy in %s; name their folder", errNoData, s.file, dir)
	}
	set := s.generate()
	s.source = set.Name
	s.m = lnmu.NewDense(set.Rows, set.Cols, set.Data)
	return s, nil
}

func (s *images) read(path string) error {
	file, err := matio.Open(path, matio.Options{})
	if err != nil {
		return err
	}
	defer file.Close()
	rows, cols, data, err := matio.Dense[float64](file)
	if err != nil {
		return err
	}
	if rows != s.height*s.width {
		return fmt.Errorf("%s: %d rows; the columns must be images of %d x %d pixels", path, rows, s.height, s.width)
	}
	if s.rank > cols {
		return fmt.Errorf("%s: %d columns are too few for rank %d", path, cols, s.rank)
	}
	s.m = lnmu.NewDense(rows, cols, append([]float64(nil), data...)) // the mapping ends with the file
	return nil
}
