package matio

import (
	"errors"
	"strings"

	"nmu/internal/matio/internal/envi"
)

// noVariable is the name of no variable.
const noVariable = "\x00"

// Variables returns the names of the matrices in a .mat or .npz file, 20 at most, and
// none for other files. The numbers themselves are not read.
func Variables(path string) ([]string, error) {
	f, err := Open(path, Options{Var: noVariable})
	if err == nil {
		return nil, f.Close()
	}
	var v *VarError
	switch {
	case errors.As(err, &v):
		return v.Names, nil
	case errors.Is(err, ErrVar): // of another type
		return nil, nil
	}
	return nil, err
}

// compressible are the types of files that may also be compressed by gzip.
var compressible = []string{".csv", ".tsv", ".txt", ".mtx"}

// Extensions returns those of the files that Open reads, with their points.
func Extensions() []string {
	var all []string
	for _, word := range Formats() {
		all = append(all, "."+word)
	}
	for _, ext := range compressible {
		all = append(all, ext+".gz")
	}
	return append(all, envi.Extensions[1:]...)
}

// Formats returns the words for Options.Format.
func Formats() []string {
	words := []string{"npy", "npz", "mat", "hdr"}
	for _, ext := range compressible {
		words = append(words, ext[1:])
	}
	return words
}

// typesRead says what Open reads.
func typesRead() string {
	return "want .npy, .npz, .mat, " + strings.Join(compressible, ", ") +
		", these four also .gz, an ENVI cube with its .hdr, or a folder of images"
}
