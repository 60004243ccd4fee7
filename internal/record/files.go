package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/regular"
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

// OpenFolder opens the folder of --out, nil without one, for files of these names, of which record lists the others and is
// expected to have a text in the end; see fileset.Folder.Expect. Unless force is set, it refuses a folder with a
// checkpoint of which kept is true, or with other files than those of an earlier set.
func OpenFolder(dir string, names []string, record string, expected []byte, force bool, kept func(dir string) bool) (*fileset.Folder, error) {
	if dir == "" {
		return nil, nil
	}
	folder, err := fileset.Open(dir, names, record, force)
	if err == nil && !force && kept(dir) {
		folder.Close()
		err = fmt.Errorf("%s has the checkpoint of a run that was cut short; nmu resume %s goes on with it, --force discards it", dir, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	folder.Expect(expected)
	return folder, nil
}

// TextIn returns what result.json in the folder out holds, if one of the sources is that folder or a
// file in it: a run that goes on from there must find the same at its end, see fileset.Folder.Expect.
// Else it returns nil.
func TextIn(out string, sources ...string) ([]byte, error) {
	to, err := os.Stat(out)
	if out == "" || err != nil {
		return nil, nil
	}
	for _, path := range sources {
		from, err := os.Stat(path)
		if err == nil && !from.IsDir() {
			from, err = os.Stat(filepath.Dir(path))
		}
		if path == "" || err != nil || !os.SameFile(from, to) {
			continue
		}
		text, err := regular.ReadFile(filepath.Join(out, NameResult), regular.MostRecord)
		if errors.Is(err, fs.ErrNotExist) {
			return []byte{}, nil
		}
		return text, err
	}
	return nil, nil
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
