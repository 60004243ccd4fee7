// Package hdf5 reads HDF5 files: arrays as h5py writes them, the .h5ad files of anndata, the
// sparse matrices of Cell Ranger and BIOM 2.1, the files of MATLAB 7.3 and those of Octave's
// save -hdf5.
//
// The C library of HDF5 reads them, one call at a time. It needs the tag hdf5, cgo and the
// development files of the library, which pkg-config finds under the name hdf5. Without the
// tag Open returns an error that says so.
//
// An array that is contiguous and uncompressed becomes an input.Array of the file itself, as in
// a .npy file. A chunked or compressed array becomes an input.Array whose bytes the library
// delivers.
//
// Nothing outside the file is touched: soft links, external links, external raw data and
// virtual datasets are not followed, and no filter is loaded from a plugin.
package hdf5

import "bytes"

// magic is the signature of an HDF5 file, at its beginning or behind a text of 512 bytes.
const magic = "\x89HDF\r\n\x1a\n"

// Is says whether head begins an HDF5 file, such as one of MATLAB 7.3.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte("MATLAB 7.3")) ||
		len(head) >= 520 && string(head[512:520]) == magic
}
