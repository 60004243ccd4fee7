package matio

import (
	"strings"

	"nmu/internal/matio/internal/envi"
	"nmu/internal/matio/internal/hdf5"
)

// compressible are the extensions of files that may be compressed by gzip.
var compressible = []string{".csv", ".tsv", ".txt", ".mtx"}

// Extensions returns the extensions of the files that Open reads, with their points.
func Extensions() []string {
	var all []string
	for _, word := range Formats() {
		all = append(all, "."+word)
	}
	for _, ext := range compressible {
		all = append(all, ext+".gz")
	}
	return append(append(append(all, ".tif", ".tiff"), envi.Extensions[1:]...), hdf5.Extensions...)
}

// Formats returns the values of Options.Format.
func Formats() []string {
	words := []string{"npy", "npz", "mat", "hdr", "biom"}
	for _, ext := range compressible {
		words = append(words, ext[1:])
	}
	return words
}

// typesRead lists the types of files that Open reads, for messages.
func typesRead() string {
	also := ""
	if hdf5.Available {
		also = strings.Join(hdf5.Extensions, ", ") + ", "
	}
	return "want .npy, .npz, .mat, .biom, " + also + strings.Join(compressible, ", ") +
		", these four also .gz, an ENVI cube with its .hdr, a TIFF file of several pages, or a folder of images"
}
