package record

import (
	"fmt"
	"io"
	"slices"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/message"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// Names of the files of a run.
const (
	NameV      = "V.npy"
	NameW      = "W.npy"
	NameVTable = "V.csv"
	NameWTable = "W.csv"
	NameMat    = "factors.mat"
	NameResult = "result.json"
	NameBasis  = "basis.png"
	NameMaps   = "weights.png"
	NameCube   = "W.dat"
	NameHeader = "W.hdr"
	NameImages = "manifest.csv"
	NameReport = "report.html"

	NameMixtures      = "mixtures.npy" // with --scale topics
	NameMixturesTable = "mixtures.csv"

	NameWW = "WW.npy" // sums of products, of a run that goes on with new columns
	NameMW = "MW.npy"
)

// Names are the names of all files of a run.
var Names = []string{NameV, NameW, NameVTable, NameWTable, NameMat, NameCube, NameHeader, NameImages, NameResult, NameBasis, NameMaps, NameReport, NameMixtures, NameMixturesTable, NameWW, NameMW}

// Formats of the factors.
const (
	FormatNpy  = "npy"
	FormatCSV  = "csv"
	FormatMat  = "mat"
	FormatENVI = "envi"
)

// Formats are the formats of --write.
var Formats = []string{FormatNpy, FormatCSV, FormatMat, FormatENVI}

// CheckFormats refuses formats of --write that are not known.
func CheckFormats(formats, known []string) error {
	for _, s := range formats {
		if !slices.Contains(known, s) {
			return fmt.Errorf("--write %q; choose from %s", s, message.Enumerate(known, "and"))
		}
	}
	return nil
}

// CheckFolder refuses an output folder that holds a checkpoint, or other files than those
// of an earlier run, whose names it gets, unless force is set.
func CheckFolder(dir string, names []string, force bool) error {
	return checkFolder(dir, names, force, checkpoint.Has)
}

// CheckRunFolder is CheckFolder for nmu factor, which discards the checkpoint of a short run.
func CheckRunFolder(dir string, names []string, force bool) error {
	return checkFolder(dir, names, force, checkpoint.Keeps)
}

func checkFolder(dir string, names []string, force bool, kept func(dir string) bool) error {
	if err := fileset.Check(dir, names); err != nil || force {
		return err
	}
	if kept(dir) {
		return fmt.Errorf("%s has the checkpoint of a run that was cut short; nmu resume %s goes on with it, --force discards it", dir, dir)
	}
	name, err := fileset.Foreign(dir, names, NameResult)
	if err != nil || name == "" {
		return err
	}
	return fmt.Errorf("%s holds %s, which is not of an earlier run; choose another folder, or --force to write there, which replaces what has the name of a result", dir, name)
}

// FactorFiles returns the files of factors in these formats: NAME.npy always, NAME.csv, and
// all of them in one factors.mat.
func FactorFiles[T lnmu.Float](formats []string, factors ...matio.Variable[T]) []fileset.File {
	var files []fileset.File
	for _, x := range factors {
		files = append(files, fileset.File{Name: x.Name + ".npy", Write: func(w io.Writer) error {
			return matio.EncodeNpy(w, x.Rows, x.Cols, x.Data, x.Stride)
		}})
	}
	if slices.Contains(formats, FormatCSV) {
		for _, x := range factors {
			files = append(files, fileset.File{Name: x.Name + ".csv", Write: func(w io.Writer) error { return matio.EncodeCSV(w, x.Labelled) }})
		}
	}
	if slices.Contains(formats, FormatMat) {
		files = append(files, fileset.File{Name: NameMat, Write: func(w io.Writer) error { return matio.EncodeMat(w, factors...) }})
	}
	return files
}

// Labelled returns a factor with the names of its rows and columns.
func Labelled[T lnmu.Float](d lnmu.Dense[T], rows, cols []string) matio.Labelled[T] {
	return matio.Labelled[T]{Rows: d.Rows, Cols: d.Cols, Data: d.Data, Stride: d.Stride, RowNames: rows, ColNames: cols}
}

// ContentFile returns a file of a run that holds a text.
func ContentFile(name string, text []byte) fileset.File {
	return fileset.File{Name: name, Write: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}
}
