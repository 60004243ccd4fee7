//go:build !hdf5

package hdf5_test

import (
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// A build without the library says so, how to make one that has it, and what else helps.
func TestNone(t *testing.T) {
	const magic = "\x89HDF\r\n\x1a\n"
	for _, c := range []struct{ name, content, is string }{
		{"a.h5ad", magic, "is an HDF5 file"},
		{"a.mat", strings.Repeat(" ", 512) + magic, "is an HDF5 file"},
		{"a.mat", "MATLAB 7.3 MAT-file", "is an HDF5 file"},
		{"a.h5", "", "is by its name an HDF5 file"},
	} {
		for _, says := range []string{c.is, "go build -tags hdf5 ./cmd/nmu", "libhdf5-dev", "save -v7", "h5py"} {
			matiotest.WantError(t, matiotest.Write(t, c.name, []byte(c.content)), matio.Options{}, matio.ErrUnsupported, says)
		}
	}
}
