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

// ReplaceFile is WriteFile with the temporary file itself as the argument of write.
func ReplaceFile(path string, write func(tmp *os.File) error) error {
	return temp.ReplaceFile(path, write)
}

// TempFile creates a temporary file in dir, which RemoveTemp removes. named says whether the
// file has a name in the folder.
func TempFile(dir string) (file *os.File, named bool, err error) { return temp.Create(dir) }

// RemoveTemp closes and removes a file of TempFile.
func RemoveTemp(file *os.File, named bool) error { return temp.Remove(file, named) }

// WriteNpy writes the rows x cols matrix whose element i, j is data[i*stride+j] to a .npy
// file, as WriteFile does.
func WriteNpy[T Float](path string, rows, cols int, data []T, stride int) error {
	return npy.Write(path, rows, cols, data, stride)
}

// StreamNpy is WriteNpy for numbers from each, which passes them to its argument row by row, in
// pieces of any length.
func StreamNpy[T Float](path string, rows, cols int, each func(do func(numbers []T) error) error) error {
	return npy.Stream(path, rows, cols, each)
}

// NpyHeader returns the header of a .npy file for elements of a type such as <f8. It takes
// 128 bytes for every matrix and every vector.
func NpyHeader(descr string, fortran bool, shape ...int64) []byte {
	return npy.EncodeHeader(descr, fortran, shape...)
}

// CSRNames returns the file names of a folder with a sparse matrix.
func CSRNames() []string { return folder.CSRNames() }

// WriteCSV writes a matrix as comma-separated values, with a header and row labels, as
// WriteFile does.
func WriteCSV[T Float](path string, m Labelled[T]) error { return table.Write(path, m) }

// WriteMat writes matrices to one MATLAB file of version 5, as WriteFile does.
func WriteMat[T Float](path string, variables ...Variable[T]) error {
	return mat.Write(path, variables...)
}

// WriteENVI writes a bands x pixels matrix as the raster NAME.dat of an ENVI cube, as WriteFile
// does. The pixels are those of height x width, line by line.
func WriteENVI[T Float](path string, m Labelled[T], height, width int) error {
	return envi.Write(path, m, height, width)
}

// WriteENVIHeader writes the header NAME.hdr for a raster of WriteENVI.
func WriteENVIHeader[T Float](path string, m Labelled[T], height, width int) error {
	return envi.WriteHeader(path, m, height, width)
}
