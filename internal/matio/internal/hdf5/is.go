package hdf5

import "bytes"

// magic is the signature of an HDF5 file, at its beginning or behind a text of 512 bytes.
const magic = "\x89HDF\r\n\x1a\n"

// Is says whether head begins an HDF5 file, such as one of MATLAB 7.3.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic)) || bytes.HasPrefix(head, []byte("MATLAB 7.3")) ||
		len(head) >= 520 && string(head[512:520]) == magic
}
