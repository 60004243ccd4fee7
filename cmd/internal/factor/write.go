package factor

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"nmu/cmd/internal/input"
	"nmu/cmd/internal/picture"
	"nmu/cmd/internal/record"
	"nmu/cmd/internal/solve"
	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
	"nmu/lnmu/topics"
)

// writeResults writes the files of a run to a folder, as a whole, and returns their
// names. Those of an earlier run go, whatever their formats. V.npy and W.npy are
// always there, for --init and nmu transform. The page is among them if it is asked for.
func writeResults[T lnmu.Float](folder *fileset.Folder, formats []string, rep *record.Factor, res solve.Run[T], pics picture.Shown, withPage bool, more ...fileset.File) ([]string, error) {
	blankV, blankW := input.Blank(rep.Left, res.V, res.W)
	v, w := record.Labelled(blankV, rep.RowNames, nil), record.Labelled(blankW, nil, rep.ColNames)
	factors := []matio.Variable[T]{{Name: "V", Labelled: v}, {Name: "W", Labelled: w}}
	if rep.Scale == record.ScaleTopics {
		factors = append(factors, matio.Variable[T]{Name: "mixtures", Labelled: record.Labelled(blankMixtures(rep.Left, res), nil, rep.ColNames)})
	}
	files := record.FactorFiles(formats, factors...)
	for i, lent := range []func(w io.Writer) error{res.NpyV(), res.NpyW()} { // of which these are the first
		if lent != nil {
			files[i].Write = lent
		}
	}
	if slices.Contains(formats, record.FormatENVI) {
		cube := record.Labelled(picture.LineByLine(blankW, pics.Maps), nil, nil)
		files = append(files,
			fileset.File{Name: record.NameCube, Write: func(w io.Writer) error { return matio.EncodeENVI(w, cube, pics.Maps.Height, pics.Maps.Width) }},
			fileset.File{Name: record.NameHeader, Write: func(w io.Writer) error {
				return matio.EncodeENVIHeader(w, cube, pics.Maps.Height, pics.Maps.Width)
			}})
	}
	if pics.Images.Files != nil {
		files = append(files, fileset.File{Name: record.NameImages, Write: pics.Images.Write})
	}
	files = append(append(files, more...), fileset.File{Name: record.NameResult, Write: rep.WriteJSON})
	if pics.Basis.Known() {
		files = append(files, fileset.File{Name: record.NameBasis, Write: func(w io.Writer) error { return picture.Write(w, blankV, pics.Basis, pics.Options) }})
	}
	if pics.Maps.Known() {
		maps := pics.Options
		if rep.Options["sum-to-one"] == "w" {
			maps.Most = 1
		}
		files = append(files, fileset.File{Name: record.NameMaps, Write: func(w io.Writer) error {
			return picture.Write(w, blankW.Transposed(), pics.Maps, maps)
		}})
	}
	if withPage {
		run := record.Page(rep, res.V, res.W)
		files = append(files, fileset.File{Name: record.NameReport, Write: func(w io.Writer) error {
			runtime.GC() // the estimate of the run has no room for its garbage beside the page
			return page.Write(w, run)
		}})
	}
	names, sums, err := folder.Write(files)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	rep.Files = sums
	return names, nil
}

// blankMixtures returns the mixtures of W, with NaN for what is left out.
func blankMixtures[T lnmu.Float](left *input.Lines, res solve.Run[T]) lnmu.Dense[T] {
	_, mixtures := input.Blank(left, res.V, topics.Mixtures(res.W))
	return mixtures
}
