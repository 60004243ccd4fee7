package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"nmu/internal/dataset"
	"nmu/internal/figure"
	"nmu/internal/render"
)

const galleryHead = `# Gallery

Five data sets, each with the command line that takes it apart and what is then seen.
The data are made by the program itself: with

    go run ./cmd/nmu gallery --out docs --data gallery-data

they lie in gallery-data, where the command lines below work, and this page and its
pictures are made again, bit for bit.
`

// gallery lists the examples.
func gallery() []example {
	return []example{
		{
			name: "swimmer", title: "Swimmers",
			about: "A folder of 256 images of 20 x 11 pixels: a body with four limbs, each in one of four positions.",
			data:  imageData("swimmer", dataset.Swimmer),
			args:  strings.Fields("swimmer --rank 17 --method rnmu --solver admm"),
			pictures: []galleryPicture{
				{"swimmer.png", "The 17 columns of V: the body and one limb in one position each", resultPicture(nameBasis)},
			},
			text: "TODO %s",
		},
		{
			name: "ground", title: "The ground from above",
			about: "An ENVI cube of 60 x 80 pixels, each with a spectrum of 60 wavelengths: a river, a wood and some trees, soil and eight houses.",
			data:  groundData,
			args:  strings.Fields("ground.hdr --rank 4 --method gnmu"),
			pictures: []galleryPicture{
				{"ground.png", "The rows of W as maps", resultPicture(nameMaps)},
				{"ground.svg", "The columns of V over the wavelength", drawSpectra},
			},
			text: "TODO %s",
		},
		{
			name: "licences", title: "Licences",
			about: "A table of the square roots of how often each word is in each of the licences of the modules of this program.",
			data:  licenceData,
			args:  strings.Fields("licences.csv --rank 5 --method gnmu --top 8"),
			pictures: []galleryPicture{
				{"licences.svg", "The largest words and files of each factor", drawTop},
			},
			text: "TODO %s",
		},
		{
			name: "strokes", title: "Digits",
			about: "A folder of 300 images of 20 x 14 pixels: the digits 0 to 9 thirty times, of seven strokes, drawn by an unsteady hand.",
			data:  imageData("strokes", func() dataset.Set { return dataset.Strokes(30, 0) }),
			args:  strings.Fields("strokes --rank 7 --method gnmu"),
			pictures: []galleryPicture{
				{"strokes.png", "The 7 columns of V", resultPicture(nameBasis)},
			},
			text: "TODO %s",
		},
		{
			name: "melody", title: "A melody",
			about: `A table of the magnitudes of the short-time Fourier transform of the first line of "Twinkle, twinkle, little star": 128 frequencies, and a column each 64 ms.`,
			data:  melodyData,
			args:  strings.Fields("melody.csv --rank 6 --method gnmu --row-labels yes --top 4"),
			pictures: []galleryPicture{
				{"melody.png", "The spectrogram, V and W", drawMelody},
			},
			text: "TODO %s",
		},
	}
}

// drawSpectra draws the columns of V over the wavelengths, each divided by its largest
// entry.
func drawSpectra(f *finished) ([]byte, error) {
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

// drawTop draws the largest entries of each factor as bars beside their names, rows of
// M over columns of M.
func drawTop(f *finished) ([]byte, error) {
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
		for part, list := range [][]topEntry{factor.Rows, factor.Cols} {
			for n, e := range list {
				at := y(n + part*(most+1))
				length := int(math.Round(bar * e.Value / list[0].Value))
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
					left, at, length, line-4, [...]string{"#9ecae1", "#e6c28c"}[part], left+2, at+line-6, html.EscapeString(shortName(e.text(), width/6)))
				height = max(height, at+line)
			}
		}
	}
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n",
		gap+len(f.rep.Top)*(width+gap), height+gap, b.String()), nil
}

// shortName is a name with at most so many characters: its end says more than its
// beginning.
func shortName(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return s
}

// drawMelody draws the spectrogram, V and W, low frequencies at the bottom of each.
func drawMelody(f *finished) ([]byte, error) {
	rows, cols, m, err := readAll(f.rep.Input)
	if err != nil {
		return nil, err
	}
	upright := func(label string, rows, cols int, at func(i, j int) float64) figure.Basis[float64] {
		d := make([]float64, rows*cols)
		for i := range rows {
			for j := range cols {
				d[(rows-1-i)*cols+j] = at(i, j)
			}
		}
		return figure.Basis[float64]{Label: label, Rows: rows * cols, Cols: 1, Data: d, Stride: 1, Height: rows, Width: cols, ByRows: true}
	}
	const shown = 64
	var b bytes.Buffer
	err = figure.Stack(&b, []figure.Basis[float64]{
		upright("M, 0 to 500 Hz", min(rows, shown), cols, func(i, j int) float64 { return m[i*cols+j] }),
		upright("W", f.w.Rows*4, cols, func(i, j int) float64 { return f.w.At(i/4, j) }),
	}, figure.Options{Zoom: 5})
	return b.Bytes(), err
}
