// Package cells finds the files of a folder of Cell Ranger: a sparse matrix of counts, the names of
// its rows, which are features such as genes, and those of its columns, which are cells.
//
//	matrix.mtx   features.tsv or genes.tsv   barcodes.tsv
//
// Each may be compressed by gzip, and all may have the same prefix, as in archives.
package cells

import (
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/names"
)

// Folder is such a folder: the paths of its files, empty for those that are not there.
type Folder struct{ Matrix, Features, Barcodes string }

// Find looks for these files in the folder f. There are none if Matrix is empty.
func Find(f *input.File) (Folder, error) {
	defer f.Scratch()(0)
	var d Folder
	there, err := f.Files(".mtx", ".tsv", ".gz")
	if err != nil {
		return d, err
	}
	var matrices []string
	for _, name := range there {
		if strings.HasSuffix(plain(name), "matrix.mtx") {
			matrices = append(matrices, name)
		}
	}
	if len(matrices) == 0 {
		return d, nil
	}
	if len(matrices) > 1 {
		return d, f.Unsupported("the folder holds %d matrices, %s: keep each with its features and barcodes in a folder of its own", len(matrices), input.List(matrices))
	}
	prefix := strings.TrimSuffix(plain(matrices[0]), "matrix.mtx")
	first := func(list ...string) string {
		for _, name := range list {
			for _, ext := range []string{".tsv", ".tsv.gz"} {
				if slices.Contains(there, prefix+name+ext) {
					return filepath.Join(f.Path, prefix+name+ext)
				}
			}
		}
		return ""
	}
	return Folder{filepath.Join(f.Path, matrices[0]), first("features", "genes"), first("barcodes")}, nil
}

// plain returns a name without the extension of a compression.
func plain(name string) string { return strings.TrimSuffix(name, ".gz") }

// Name sets the names of rows and columns of the matrix in f from the files of the folder.
func (d Folder) Name(f *input.File) (err error) {
	if d.Features != "" {
		columns, err := names.Columns(d.Features)
		if err != nil {
			return err
		}
		if f.RowNames, err = names.Read(f, d.Features, 0, min(columns, 2), f.Rows, "feature"); err != nil {
			return err
		}
		if columns > 2 {
			types, err := names.Read(f, d.Features, 0, 3, f.Rows, "feature")
			if err != nil {
				return err
			}
			f.NoteTypes(types)
		}
	}
	if d.Barcodes != "" {
		f.ColNames, err = names.Read(f, d.Barcodes, 0, 1, f.Cols, "barcode")
	}
	return err
}
