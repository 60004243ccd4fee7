package matio

import (
	"io"
	"os"

	"nmu/internal/matio/internal/envi"
	"nmu/internal/matio/internal/folder"
	"nmu/internal/matio/internal/mat"
	"nmu/internal/matio/internal/npy"
	"nmu/internal/matio/internal/table"
	"nmu/internal/matio/internal/temp"
)

// WriteFile calls write to produce the content of the file path. The content replaces the file
// when it is complete and synced to the disk. The writer is buffered.
func WriteFile(path string, write func(io.Writer) error) error { return temp.WriteFile(path, write) }

// ReplaceFile is WriteFile with the temporary file itself as an argument of write, and the
// folder of path.
func ReplaceFile(path string, write func(folder *os.Root, tmp *os.File) error) error {
	return temp.ReplaceFile(path, write)
}

// TempFile creates a temporary file in a folder, or in that of the system if folder is nil.
// RemoveTemp removes it. named says whether the file has a name in the folder.
func TempFile(folder *os.Root) (file *os.File, named bool, err error) { return temp.Create(folder) }

// RemoveTemp closes and removes a file of TempFile.
func RemoveTemp(file *os.File, named bool) error { return temp.Remove(file, named) }

// EncodeNpy writes the rows x cols matrix whose element i, j is data[i*stride+j] as a .npy file.
func EncodeNpy[T Float](w io.Writer, rows, cols int, data []T, stride int) error {
	return npy.Write(w, rows, cols, data, stride)
}

// StreamNpy is EncodeNpy for numbers from each, which passes them to its argument row by row,
// in pieces of any length.
func StreamNpy[T Float](w io.Writer, rows, cols int, each func(do func(numbers []T) error) error) error {
	return npy.Stream(w, rows, cols, each)
}

// NpyHeader returns the header of a .npy file for elements of a type such as <f8. It takes
// 128 bytes for every matrix and every vector.
func NpyHeader(descr string, fortran bool, shape ...int64) []byte {
	return npy.EncodeHeader(descr, fortran, shape...)
}

// CSRNames returns the file names of a folder with a sparse matrix.
func CSRNames() []string { return folder.CSRNames() }

// EncodeCSV writes a matrix as comma-separated values, with a header and row labels.
func EncodeCSV[T Float](w io.Writer, m Labelled[T]) error { return table.Write(w, m) }

// EncodeMat writes matrices as one MATLAB file of version 5.
func EncodeMat[T Float](w io.Writer, variables ...Variable[T]) error {
	return mat.Write(w, variables...)
}

// EncodeENVI writes a bands x pixels matrix as the raster NAME.dat of an ENVI cube. The pixels
// are those of height x width, line by line.
func EncodeENVI[T Float](w io.Writer, m Labelled[T], height, width int) error {
	return envi.Write(w, m, height, width)
}

// LibraryExtension is the extension of the raster of an ENVI spectral library.
const LibraryExtension = envi.Library

// EncodeLibrary writes a bands x spectra matrix as the raster NAME.sli of an ENVI spectral library.
func EncodeLibrary[T Float](w io.Writer, m Labelled[T]) error { return envi.WriteLibrary(w, m) }

// EncodeLibraryHeader writes the header NAME.hdr for a raster of EncodeLibrary. The row names are the
// wavelengths, and axis is what File.Axes says of them.
func EncodeLibraryHeader[T Float](w io.Writer, m Labelled[T], axis string) error {
	return envi.WriteLibraryHeader(w, m, axis)
}

// EncodeENVIHeader writes the header NAME.hdr for a raster of EncodeENVI.
func EncodeENVIHeader[T Float](w io.Writer, m Labelled[T], height, width int) error {
	return envi.WriteHeader(w, m, height, width)
}
