package picture

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/lnmu"
)

// Shown says which factors are pictures, and how they are drawn.
type Shown struct {
	Basis, Maps Pixels // of a column of V, of a row of W
	Options     Layout

	Images Manifest
}

// Manifest says which image of a folder is which column of the matrix, or which row.
type Manifest struct {
	Files         []string // nil if there is no folder
	height, width int
	rows          bool
}

// Write writes a table: column (or row), from 1, file, width, height.
func (m Manifest) Write(out io.Writer) error {
	w := csv.NewWriter(out)
	what := "column"
	if m.rows {
		what = "row"
	}
	w.Write([]string{what, "file", "width", "height"}) // errors stay until Flush
	for i, name := range m.Files {
		w.Write([]string{strconv.Itoa(i + 1), name, strconv.Itoa(m.width), strconv.Itoa(m.height)})
	}
	w.Flush()
	return w.Error()
}

// Pixels is the size of an image and the order of its pixels; zero if unknown.
type Pixels = page.Pixels

// ShapeOf returns the shape that the options of methods take: pixels line by line.
func ShapeOf(p Pixels) [2]int {
	if p.ByRows {
		return [2]int{p.Height, p.Width}
	}
	return [2]int{p.Width, p.Height}
}

// LineByLine returns m, whose columns are pixels in the order of p, with the pixels line by
// line.
func LineByLine[T lnmu.Float](m lnmu.Dense[T], p Pixels) lnmu.Dense[T] {
	if p.ByRows {
		return m
	}
	lines := lnmu.NewDense[T](m.Rows, m.Cols, nil)
	for k := range m.Rows {
		from, to := m.Row(k), lines.Row(k)
		for y := range p.Height {
			for x := range p.Width {
				to[y*p.Width+x] = from[p.At(y, x)]
			}
		}
	}
	return lines
}

// Of returns the sizes that flags give, or those that the file knows.
func Of(r *options.Run, file *matio.File) (Shown, error) {
	rows, cols := file.Dims()
	p := Shown{Options: Layout{Numbered: true, Invert: r.Invert}}
	if files, h, w := file.Images(); files != nil {
		p.Images = Manifest{files, h, w, file.Transposed()}
	}
	if h, w, ok := file.ImageSize(); ok {
		p.Basis = Pixels{Height: h, Width: w}
	}
	if h, w, ok := file.MapSize(); ok {
		if size := (Pixels{Height: h, Width: w, ByRows: true}); h*w == cols {
			p.Maps = size
		} else {
			p.Basis = size
		}
	}
	return p.Over(r, rows, cols)
}

// Over returns what is shown with the sizes that flags give for a matrix of so many rows and columns.
func (p Shown) Over(r *options.Run, rows, cols int) (Shown, error) {
	none, byRows := [2]int{}, r.PixelOrder == "rows"
	if r.PixelOrder != "" && r.Image == none && r.Map == none {
		return p, fmt.Errorf("--image-order %s says nothing without --image or --map", r.PixelOrder)
	}
	var err error
	if r.Image != none {
		if p.Basis, err = pixels("image", r.Image, byRows, rows, "columns"); err != nil {
			if _, e := pixels("image", r.Image, byRows, cols, "rows"); e == nil {
				err = fmt.Errorf("%w; its rows have as many: --transpose makes columns of them, and --map is for columns that are the pixels of one image", err)
			}
			return p, err
		}
	}
	if r.Map != none {
		p.Maps, err = pixels("map", r.Map, byRows, cols, "rows")
		if _, e := pixels("map", r.Map, byRows, rows, "columns"); err != nil && e == nil {
			err = fmt.Errorf("%w; its columns have as many: --transpose makes rows of them, and --image is for columns that are images", err)
		}
	}
	return p, err
}

// pixels returns the size that a flag gives for images of n pixels, as many as the columns or rows of the matrix have
// entries.
func pixels(flag string, size [2]int, byRows bool, n int, what string) (Pixels, error) {
	if n%size[0] != 0 || n/size[0] != size[1] {
		return Pixels{}, fmt.Errorf("--%s %s does not fit the %s of the matrix, which have %d entries", flag, options.Size(size), what, n)
	}
	return Pixels{Height: size[0], Width: size[1], ByRows: byRows}, nil
}

// Torn reports whether the images in the columns of v are much smoother in the other
// order of their pixels. Then the order of size is probably wrong. Square images are only
// transposed by the other order, so Torn cannot judge them.
func Torn[T lnmu.Float](v lnmu.Dense[T], size Pixels) bool {
	if !size.Known() || size.Height == size.Width {
		return false
	}
	other := size
	other.ByRows = !size.ByRows
	const much = 1.5
	return roughness(v, size) > much*roughness(v, other)
}

// roughness returns the sum of the differences between neighbours that are both numbers.
func roughness[T lnmu.Float](v lnmu.Dense[T], size Pixels) float64 {
	sum := 0.0
	for y := range size.Height {
		for x := range size.Width {
			here := v.Row(size.At(y, x))
			for _, next := range [...][2]int{{y + 1, x}, {y, x + 1}} {
				if next[0] == size.Height || next[1] == size.Width {
					continue
				}
				for k, e := range v.Row(size.At(next[0], next[1])) {
					if d := math.Abs(float64(e) - float64(here[k])); d == d {
						sum += d
					}
				}
			}
		}
	}
	return sum
}
