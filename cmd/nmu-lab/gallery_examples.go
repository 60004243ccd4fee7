package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"nmu/cmd/internal/record"
	"nmu/cmd/internal/samples"
	"nmu/internal/dataset"
	"nmu/internal/figure"
	"nmu/internal/render"
	"nmu/lnmu"
)

const galleryHead = `# Gallery

Five data sets. Each section names the command that factors the data, and explains the factors.

    go run ./cmd/nmu-lab gallery --out docs --data gallery-data

generates the data in gallery-data, where the commands below run. It also regenerates this page and
its pictures, bit for bit.
`

// gallery lists the examples.
func gallery() []example {
	return []example{
		{
			name: "swimmer", title: "Swimmers",
			about: "256 images of 20 x 11 pixels show a body with four limbs. Each limb has four positions.",
			data:  samples.Images("swimmer", dataset.Swimmer),
			args:  strings.Fields("swimmer --rank 17 --method rnmu --solver admm"),
			pictures: []galleryPicture{
				{"swimmer.png", "The 17 columns of V: the body, then one limb in one position each", resultPicture(record.NameBasis)},
			},
			text: `Each factor shows a single part. The first one is the body; the others are the four limbs in their four positions.
The relative error is %s. R-NMU finds the factors one by one, so the first k of them are the result for rank k.`,
		},
		{
			name: "ground", title: "The ground from above",
			about: "An ENVI cube has 60 x 80 pixels with 60 wavelengths each. It shows soil, a river, a wood, single trees and eight houses.",
			data:  samples.Ground,
			args:  strings.Fields("ground.hdr --rank 4 --method snmf --sparsity-w 0.6 --restarts 3"),
			pictures: []galleryPicture{
				{"ground.png", "The rows of W as maps: soil, roofs, plants, water", resultPicture(record.NameMaps)},
				{"ground.svg", "The columns of V, plotted against the wavelength", drawSpectra},
			},
			text: `The maps show the soil, the roofs, the plants and the river. The roofs are faintly visible in the map of the river. The curves are the four spectra.
The relative error is %s. NMF without --sparsity-w has a similar error, but its maps of the roofs and of the river contain soil.`,
		},
		{
			name: "licences", title: "Licences",
			about: "A table holds the square roots of word counts. The texts are the licences of the Go modules that nmu uses, read from the module cache.",
			data:  samples.WriteLicences,
			args:  strings.Fields("licences.csv --rank 5 --method gnmu --top 8"),
			pictures: []galleryPicture{
				{"licences.svg", "The largest words and files of each factor", drawTop},
			},
			text: `The factors are families of licences, found from the words alone: BSD in two wordings, Apache, MIT with Boost, and that of the W3C tests. The picture lists the largest words of each factor above its largest files.
A word may belong to several families: all of them have "including" among their first words. The relative error is %s.`,
		},
		{
			name: "strokes", title: "Digits",
			about: "300 images of 20 x 14 pixels show the digits 0 to 9, thirty times each. Every digit consists of some of seven strokes, drawn by an unsteady hand.",
			data:  samples.Images("strokes", func() dataset.Set { return dataset.Strokes(30, 0) }),
			args:  strings.Fields("strokes --rank 7 --method hoyer --hoyer-v 0.7"),
			pictures: []galleryPicture{
				{"strokes.png", "The 7 columns of V: one stroke each", resultPicture(record.NameBasis)},
			},
			text: `--hoyer-v 0.7 gives the columns of V the sparsity 0.7 in Hoyer's measure. Each factor is one of the seven strokes, blurred because the hand moves. It has traces of the ends of other strokes.
The relative error is %s, because V has a single position for each stroke and the hand has many.`,
		},
		{
			name: "melody", title: "A melody",
			about: `A table holds the spectrogram of the first two lines of "Twinkle, twinkle, little star": 128 frequencies, and a column for every 64 ms.`,
			data:  samples.Melody,
			args:  strings.Fields("melody.csv --rank 6 --method gnmu --top 3"),
			pictures: []galleryPicture{
				{"melody.png", "The spectrogram M above, the rows of W below", drawMelody},
			},
			text: `Each factor is one of the six notes. Its column of V holds the overtones. Its row of W shows when the note sounds and how it decays. Sorted by pitch, the rows read as a score: C C G G A A G F F E E D D C.
The relative error of %s lies mostly in the onsets of the notes, which contain all frequencies.`,
		},
	}
}

// drawSpectra draws the columns of V over the wavelengths, each divided by its largest
// entry.
func drawSpectra(f *galleryRun) ([]byte, error) {
	var points []render.Point
	for k := range f.v.Cols {
		most := 0.0
		for i := range f.v.Rows {
			most = max(most, f.v.At(i, k))
		}
		for i := range f.v.Rows {
			nm, err := strconv.ParseFloat(f.rep.RowNames[i], 64)
			if err != nil {
				return nil, err
			}
			points = append(points, render.Point{Line: fmt.Sprintf("factor %d", k+1), X: nm, Y: f.v.At(i, k) / most})
		}
	}
	return render.Curves("", "wavelength, nm", "part of the largest entry", points)
}

// drawTop draws the largest entries of each factor as bars beside their names: rows of M at the
// top, columns of M below.
func drawTop(f *galleryRun) ([]byte, error) {
	const width, line, gap, bar = 176, 15, 14, 60
	var b strings.Builder
	y := func(n int) int { return 30 + line*n }
	most := 0
	for _, factor := range f.rep.Top {
		most = max(most, len(factor.Rows))
	}
	height := 0
	for k, factor := range f.rep.Top {
		left := gap + k*(width+gap)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"16\" font-weight=\"bold\">factor %d</text>\n", left, k+1)
		for part, list := range [][]record.TopEntry{factor.Rows, factor.Cols} {
			for n, e := range list {
				at := y(n + part*(most+1))
				length := int(math.Round(bar * e.Value / list[0].Value))
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
					left, at, length, line-4, [...]string{"#9ecae1", "#e6c28c"}[part], left+2, at+line-6, html.EscapeString(shortName(e.Text(), width/6)))
				height = max(height, at+line)
			}
		}
	}
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n",
		gap+len(f.rep.Top)*(width+gap), height+gap, b.String()), nil
}

// shortName shortens a name to at most that many characters. It keeps the end, which tells more
// than the beginning.
func shortName(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return s
}

// byPitch returns the factors in the order of the largest rows of their columns of V.
func byPitch(v lnmu.Dense[float64]) []int {
	order, peak := make([]int, v.Cols), make([]int, v.Cols)
	for k := range order {
		order[k] = k
		for i := range v.Rows {
			if v.At(i, k) > v.At(peak[k], k) {
				peak[k] = i
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(peak[a], peak[b]) })
	return order
}

// drawMelody draws the spectrogram and W, low notes at the bottom of each.
func drawMelody(f *galleryRun) ([]byte, error) {
	rows, cols, m, err := readAll(f.rep.Input)
	if err != nil {
		return nil, err
	}
	order := byPitch(f.v)
	upright := func(label string, rows, cols int, at func(i, j int) float64) figure.Basis[float64] {
		d := make([]float64, rows*cols)
		for i := range rows {
			for j := range cols {
				d[(rows-1-i)*cols+j] = at(i, j)
			}
		}
		return figure.Basis[float64]{Label: label, Rows: rows * cols, Cols: 1, Data: d, Stride: 1, Height: rows, Width: cols, ByRows: true}
	}
	const shown, thick = 64, 4
	var b bytes.Buffer
	err = figure.Stack(&b, []figure.Basis[float64]{
		upright("M from 0 to 500 Hz", min(rows, shown), cols, func(i, j int) float64 { return m[i*cols+j] }),
		upright("W, the rows sorted by pitch", f.w.Rows*thick, cols, func(i, j int) float64 { return f.w.At(order[i/thick], j) }),
	}, figure.Options{Zoom: 5})
	return b.Bytes(), err
}
