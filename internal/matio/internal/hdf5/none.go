//go:build !hdf5

package hdf5

import (
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/scipy"
)

// Available says whether this program was built with the HDF5 library.
const Available = false

// Instead is the advice for an HDF5 file.
const Instead = "this build reads none; go build -tags hdf5 ./cmd/nmu makes one that does, with the development files of HDF5 (on Debian libhdf5-dev) and a C compiler; or, in MATLAB, save the matrix with save -v7; in Python, read it with h5py and save it with numpy.save"

// Open returns an error that wraps ErrUnsupported.
func Open(f *input.File) (*scipy.Matrix, error) { return nil, f.Foreign("an HDF5 file", Instead) }
