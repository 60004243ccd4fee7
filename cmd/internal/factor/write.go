package factor

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/topics"
)

// writeResults writes the files of a run to a folder, as a whole, and returns their
// names. Those of an earlier run go, whatever their formats. V.npy and W.npy are
// always there, for --init and nmu transform. The page is among them if it is asked for.
func writeResults[T lnmu.Float](folder *fileset.Folder, formats []string, rep *record.Factor, res *work.Reply[T], pics picture.Shown, withPage bool, more ...fileset.File) ([]string, error) {
	v, w := record.Labelled(res.V, rep.RowNames, nil), record.Labelled(res.W, nil, rep.ColNames)
	factors := []matio.Variable[T]{{Name: "V", Labelled: v}, {Name: "W", Labelled: w}}
	if rep.Settings.Scale == record.ScaleTopics {
		factors = append(factors, matio.Variable[T]{Name: "mixtures", Labelled: record.Labelled(topics.Mixtures(res.W), nil, rep.ColNames)})
	}
	files := record.FactorFiles(formats, factors...)
	for i, lent := range []func(w io.Writer) error{res.NpyV(), res.NpyW()} { // of which these are the first
		if lent != nil {
			files[i].Write = lent
		}
	}
	if slices.Contains(formats, record.FormatENVI) {
		cube := record.Labelled(picture.LineByLine(res.W, pics.Maps), nil, nil)
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
		files = append(files, fileset.File{Name: record.NameBasis, Write: func(w io.Writer) error { return picture.Write(w, res.V, pics.Basis, pics.Options) }})
	}
	if pics.Maps.Known() {
		maps := pics.Options
		if rep.Settings.Options["sum-to-one"] == "w" {
			maps.Most = 1
		}
		files = append(files, fileset.File{Name: record.NameMaps, Write: func(w io.Writer) error {
			return picture.Write(w, res.W.Transposed(), pics.Maps, maps)
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
