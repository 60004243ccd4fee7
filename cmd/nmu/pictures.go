package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"nmu/internal/figure"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// pictureFlags say what the factors show.
type pictureFlags struct {
	image, mapped, order string
	invert               bool
}

func (f *pictureFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.image, "image", "", "the columns are images of height x width pixels: `HxW`;\nbasis.png shows those of V")
	fs.StringVar(&f.mapped, "map", "", "the columns are the pixels of one image of height x width:\n`HxW`; weights.png shows the rows of W as maps")
	fs.StringVar(&f.order, "image-order", "", "order of the pixels of --image and --map: `columns`, one\nafter the other (default), or rows")
	knows(fs, "image-order", []string{"columns", "rows"}, false)
	fs.BoolVar(&f.invert, "invert", false, "pictures on black: the largest entries are white")
}

// pictures is what the factors show.
type pictures struct {
	basis, maps pixels // of a column of V, of a row of W
	options     figure.Options

	images manifest
}

// manifest says which image of a folder is which column of the matrix, or which row.
type manifest struct {
	files         []string // nil if there is no folder
	height, width int
	rows          bool
}

// write writes a table: column (or row), from 1, file, width, height.
func (m manifest) write(path string) error {
	return matio.WriteFile(path, func(out io.Writer) error {
		w := csv.NewWriter(out)
		what := "column"
		if m.rows {
			what = "row"
		}
		w.Write([]string{what, "file", "width", "height"}) // errors stay until Flush
		for i, name := range m.files {
			w.Write([]string{strconv.Itoa(i + 1), name, strconv.Itoa(m.width), strconv.Itoa(m.height)})
		}
		w.Flush()
		return w.Error()
	})
}

// pixels is the size of an image and the order of its pixels; zero if unknown.
type pixels struct {
	height, width int
	byRows        bool
}

func (p pixels) known() bool { return p.height > 0 }

// shape returns the shape that the options of methods take: pixels line by line.
func (p pixels) shape() lnmu.Shape {
	if p.byRows {
		return lnmu.Shape{Height: p.height, Width: p.width}
	}
	return lnmu.Shape{Height: p.width, Width: p.height}
}

// at returns the index of pixel (y, x).
func (p pixels) at(y, x int) int {
	if p.byRows {
		return y*p.width + x
	}
	return x*p.height + y
}

// imageSize is the size of an image in result.json.
type imageSize struct {
	Height int    `json:"height"`
	Width  int    `json:"width"`
	Order  string `json:"order"` // of the pixels: columns or rows, one after the other
}

func (s imageSize) pixels() pixels { return pixels{s.Height, s.Width, s.Order == "rows"} }

// size returns the size as result.json has it.
func (p pixels) size() *imageSize {
	switch {
	case !p.known():
		return nil
	case p.byRows:
		return &imageSize{p.height, p.width, "rows"}
	}
	return &imageSize{p.height, p.width, "columns"}
}

// lineByLine returns a matrix of which the columns are pixels in the order of p with
// these line by line.
func lineByLine[T lnmu.Float](m lnmu.Dense[T], p pixels) lnmu.Dense[T] {
	if p.byRows {
		return m
	}
	lines := lnmu.NewDense[T](m.Rows, m.Cols, nil)
	for k := range m.Rows {
		from, to := m.Row(k), lines.Row(k)
		for y := range p.height {
			for x := range p.width {
				to[y*p.width+x] = from[p.at(y, x)]
			}
		}
	}
	return lines
}

// of returns the sizes given on the command line, or those that the file knows.
func (f *pictureFlags) of(file *matio.File) (pictures, error) {
	rows, cols := file.Dims()
	p := pictures{options: figure.Options{Numbered: true, Invert: f.invert}}
	if files, h, w := file.Images(); files != nil {
		p.images = manifest{files, h, w, file.Transposed()}
	}
	if h, w, ok := file.ImageSize(); ok {
		p.basis = pixels{height: h, width: w}
	}
	if h, w, ok := file.MapSize(); ok {
		if size := (pixels{h, w, true}); h*w == cols {
			p.maps = size
		} else {
			p.basis = size
		}
	}
	return f.over(p, rows, cols)
}

// over returns the sizes given on the command line for a matrix of so many rows and
// columns, or those that are known.
func (f *pictureFlags) over(p pictures, rows, cols int) (pictures, error) {
	byRows := false
	switch f.order {
	case "", "columns":
	case "rows":
		byRows = true
	default:
		return p, fmt.Errorf("--image-order %q; choose columns or rows", f.order)
	}
	if f.order != "" && f.image == "" && f.mapped == "" {
		return p, fmt.Errorf("--image-order %s says nothing without --image or --map", f.order)
	}
	var err error
	if f.image != "" {
		if p.basis, err = parsePixels("image", f.image, byRows, rows, "columns"); err != nil {
			if _, e := parsePixels("image", f.image, byRows, cols, "rows"); e == nil {
				err = fmt.Errorf("%w; its rows have as many: --transpose makes columns of them, and --map is for columns that are the pixels of one image", err)
			}
			return p, err
		}
	}
	if f.mapped != "" {
		p.maps, err = parsePixels("map", f.mapped, byRows, cols, "rows")
		if _, e := parsePixels("map", f.mapped, byRows, rows, "columns"); err != nil && e == nil {
			err = fmt.Errorf("%w; its columns have as many: --transpose makes rows of them, and --image is for columns that are images", err)
		}
	}
	return p, err
}

// parsePixels reads a size such as 19x19 that a flag gives for images of n pixels, as
// many as the columns or rows of the matrix have entries.
func parsePixels(flag, s string, byRows bool, n int, what string) (pixels, error) {
	hs, ws, ok := strings.Cut(strings.ToLower(s), "x")
	h, herr := strconv.Atoi(hs)
	w, werr := strconv.Atoi(ws)
	if !ok || herr != nil || werr != nil || h < 1 || w < 1 {
		return pixels{}, fmt.Errorf("--%s %q; want height x width in pixels, such as 19x19", flag, s)
	}
	if n%h != 0 || n/h != w {
		return pixels{}, fmt.Errorf("--%s %s does not fit the %s of the matrix, which have %d entries", flag, s, what, n)
	}
	return pixels{h, w, byRows}, nil
}

// writePictures draws the columns of a matrix.
func writePictures[T lnmu.Float](path string, v lnmu.Dense[T], size pixels, layout figure.Options) error {
	basis := figure.Basis[T]{
		Rows: v.Rows, Cols: v.Cols, Data: v.Data, Stride: v.Stride,
		Height: size.height, Width: size.width, ByRows: size.byRows,
	}
	err := matio.WriteFile(path, func(w io.Writer) error { return figure.Montage(w, basis, layout) })
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}

// torn reports whether the images in the columns of v are much smoother in the other
// order of their pixels: then this one is probably wrong. Square images look the same
// but transposed, of which nothing can be told.
func torn[T lnmu.Float](v lnmu.Dense[T], size pixels) bool {
	if !size.known() || size.height == size.width {
		return false
	}
	other := size
	other.byRows = !size.byRows
	const much = 1.5
	return roughness(v, size) > much*roughness(v, other)
}

// roughness is the sum of the differences between neighbours.
func roughness[T lnmu.Float](v lnmu.Dense[T], size pixels) float64 {
	sum := 0.0
	for y := range size.height {
		for x := range size.width {
			here := v.Row(size.at(y, x))
			for _, next := range [...][2]int{{y + 1, x}, {y, x + 1}} {
				if next[0] == size.height || next[1] == size.width {
					continue
				}
				for k, e := range v.Row(size.at(next[0], next[1])) {
					sum += math.Abs(float64(e) - float64(here[k]))
				}
			}
		}
	}
	return sum
}
