package main

import (
	"fmt"
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

// writeResults writes the files of a run to dir, as a whole, and returns their
// names. Those of an earlier run go, whatever their formats. V.npy and W.npy are
// always there, for --init and nmu transform.
func writeResults[T lnmu.Float](dir string, formats []string, rep *report, res joinedRun[T], pics pictures) ([]string, error) {
	v, w := labelled(res.V, rep.RowNames, nil), labelled(res.W, nil, rep.ColNames)
	files := factorFiles(formats, matio.Variable[T]{Name: "V", Labelled: v}, matio.Variable[T]{Name: "W", Labelled: w})
	for i, x := range []*lnmu.Joined[T]{res.v, res.w} { // of which these are the first
		if x == res.lent {
			files[i].Write = res.npy(x)
		}
	}
	if slices.Contains(formats, formatENVI) {
		cube := labelled(lineByLine(res.W, pics.maps), nil, nil)
		files = append(files,
			fileset.File{Name: nameCube, Write: func(path string) error { return matio.WriteENVI(path, cube, pics.maps.height, pics.maps.width) }},
			fileset.File{Name: nameHeader, Write: func(path string) error {
				return matio.WriteENVIHeader(path, cube, pics.maps.height, pics.maps.width)
			}})
	}
	if pics.images.files != nil {
		files = append(files, fileset.File{Name: nameImages, Write: pics.images.write})
	}
	files = append(files, fileset.File{Name: nameResult, Write: func(path string) error { return matio.WriteFile(path, rep.writeJSON) }})
	if pics.basis.known() {
		files = append(files, fileset.File{Name: nameBasis, Write: func(path string) error { return writePictures(path, res.V, pics.basis, pics.options) }})
	}
	if pics.maps.known() {
		files = append(files, fileset.File{Name: nameMaps, Write: func(path string) error {
			return writePictures(path, lnmu.Transposed(res.W), pics.maps, pics.options)
		}})
	}
	if rep.html {
		run := runOf(rep, res.V, res.W)
		files = append(files, fileset.File{Name: nameReport, Write: func(path string) error { return writePage(path, run) }})
	}
	names, sums, err := fileset.Write(dir, files, nameResult)
	rep.Files = sums
	return names, err
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
