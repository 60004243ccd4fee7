package main

import (
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// writeResults writes the files of a run to dir, as a whole, and returns their
// names. Those of an earlier run go, whatever their formats. V.npy and W.npy are
// always there, for --init and nmu transform. The page is among them if it is asked for.
func writeResults[T lnmu.Float](dir string, formats []string, rep *report, res joinedRun[T], pics pictures, page bool) ([]string, error) {
	v, w := labelled(res.V, rep.RowNames, nil), labelled(res.W, nil, rep.ColNames)
	files := factorFiles(formats, matio.Variable[T]{Name: "V", Labelled: v}, matio.Variable[T]{Name: "W", Labelled: w})
	for i, lent := range []func(path string) error{res.npyV(), res.npyW()} { // of which these are the first
		if lent != nil {
			files[i].Write = lent
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
	if page {
		run := runOf(rep, res.V, res.W)
		files = append(files, fileset.File{Name: nameReport, Write: func(path string) error { return writePage(path, run) }})
	}
	names, sums, err := fileset.Write(dir, files, nameResult)
	rep.Files = sums
	return names, err
}
