package main

import (
	"fmt"
	"io"
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// Names of the files of a run.
const (
	nameV      = "V.npy"
	nameW      = "W.npy"
	nameVTable = "V.csv"
	nameWTable = "W.csv"
	nameMat    = "factors.mat"
	nameResult = "result.json"
	nameBasis  = "basis.png"
	nameMaps   = "weights.png"
	nameCube   = "W.dat"
	nameHeader = "W.hdr"
	nameImages = "manifest.csv"
	nameReport = "report.html"
)

var resultNames = []string{nameV, nameW, nameVTable, nameWTable, nameMat, nameCube, nameHeader, nameImages, nameResult, nameBasis, nameMaps, nameReport}

// The formats of --write.
const (
	formatNpy  = "npy"
	formatCSV  = "csv"
	formatMat  = "mat"
	formatENVI = "envi"
)

var resultFormats = []string{formatNpy, formatCSV, formatMat, formatENVI}

// checkFormats refuses what --write does not know.
func checkFormats(formats, known []string) error {
	for _, s := range formats {
		if !slices.Contains(known, s) {
			return fmt.Errorf("--write %q; choose from %s", s, enumerate(known, "and"))
		}
	}
	return nil
}

// checkFolder refuses a folder for results, of these names, that holds what is not of
// an earlier run, or a checkpoint.
func checkFolder(dir string, names []string, force bool) error {
	if err := fileset.Check(dir, names); err != nil || force {
		return err
	}
	if hasCheckpoint(dir) {
		return fmt.Errorf("%s has the checkpoint of a run that was cut short; nmu resume %s goes on with it, --force discards it", dir, dir)
	}
	name, err := fileset.Foreign(dir, names, nameResult)
	if err != nil || name == "" {
		return err
	}
	return fmt.Errorf("%s holds %s, which is not of an earlier run; choose another folder, or --force to write there, which replaces what has the name of a result", dir, name)
}

// factorFiles are the files of factors by their formats: NAME.npy always, NAME.csv, and
// all of them in one factors.mat.
func factorFiles[T lnmu.Float](formats []string, factors ...matio.Variable[T]) []fileset.File {
	var files []fileset.File
	for _, x := range factors {
		files = append(files, fileset.File{Name: x.Name + ".npy", Write: func(path string) error {
			return matio.WriteNpy(path, x.Rows, x.Cols, x.Data, x.Stride)
		}})
	}
	if slices.Contains(formats, formatCSV) {
		for _, x := range factors {
			files = append(files, fileset.File{Name: x.Name + ".csv", Write: func(path string) error { return matio.WriteCSV(path, x.Labelled) }})
		}
	}
	if slices.Contains(formats, formatMat) {
		files = append(files, fileset.File{Name: nameMat, Write: func(path string) error { return matio.WriteMat(path, factors...) }})
	}
	return files
}

// labelled is a factor with names.
func labelled[T lnmu.Float](d lnmu.Dense[T], rows, cols []string) matio.Labelled[T] {
	return matio.Labelled[T]{Rows: d.Rows, Cols: d.Cols, Data: d.Data, Stride: d.Stride, RowNames: rows, ColNames: cols}
}

// precisions are the types that matrices may have.
var precisions = []string{"float32", "float64"}

// contentFile is a file that holds a text.
func contentFile(name string, text []byte) fileset.File {
	return fileset.File{Name: name, Write: func(path string) error {
		return matio.WriteFile(path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}}
}
