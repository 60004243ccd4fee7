package picture

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"nmu/cmd/internal/flags"
	"nmu/internal/figure"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// Flags holds --image, --map and the order of the pixels, which make factors pictures.
type Flags struct {
	image, mapped, order string
	invert               bool
}

// Add adds the flags.
func (f *Flags) Add(fs *pflag.FlagSet) {
	fs.StringVar(&f.image, "image", "", "the columns of M are images of height x width pixels, `HxW`;\nbasis.png shows the columns of V")
	fs.StringVar(&f.mapped, "map", "", "the columns of M are the pixels of one image of height x\nwidth, `HxW`; weights.png shows the rows of W as maps")
	fs.StringVar(&f.order, "image-order", "", "order of the pixels of --image and --map: by `columns`\n(default) or rows")
	flags.SetWords(fs, "image-order", []string{"columns", "rows"}, false)
	fs.BoolVar(&f.invert, "invert", false, "draw large entries white on black")
}

// Shown says which factors are pictures, and how they are drawn.
type Shown struct {
	Basis, Maps Pixels // of a column of V, of a row of W
	Options     figure.Options

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
type Pixels struct {
	Height, Width int
	ByRows        bool
}

// Known reports whether the size is known.
func (p Pixels) Known() bool { return p.Height > 0 }

// Shape returns the shape that the options of methods take: pixels line by line.
func (p Pixels) Shape() lnmu.Shape {
	if p.ByRows {
		return lnmu.Shape{Height: p.Height, Width: p.Width}
	}
	return lnmu.Shape{Height: p.Width, Width: p.Height}
}

// At returns the index of pixel (y, x).
func (p Pixels) At(y, x int) int {
	if p.ByRows {
		return y*p.Width + x
	}
	return x*p.Height + y
}

// Size is the size of an image in result.json.
type Size struct {
	Height int    `json:"height"`
	Width  int    `json:"width"`
	Order  string `json:"order"` // of the pixels: columns or rows, one after the other
}

// Pixels returns the size as the rest of the program has it.
func (s Size) Pixels() Pixels { return Pixels{s.Height, s.Width, s.Order == "rows"} }

// Size returns the size as result.json has it.
func (p Pixels) Size() *Size {
	switch {
	case !p.Known():
		return nil
	case p.ByRows:
		return &Size{p.Height, p.Width, "rows"}
	}
	return &Size{p.Height, p.Width, "columns"}
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

// Of returns the sizes given on the command line, or those that the file knows.
func (f *Flags) Of(file *matio.File) (Shown, error) {
	rows, cols := file.Dims()
	p := Shown{Options: figure.Options{Numbered: true, Invert: f.invert}}
	if files, h, w := file.Images(); files != nil {
		p.Images = Manifest{files, h, w, file.Transposed()}
	}
	if h, w, ok := file.ImageSize(); ok {
		p.Basis = Pixels{Height: h, Width: w}
	}
	if h, w, ok := file.MapSize(); ok {
		if size := (Pixels{h, w, true}); h*w == cols {
			p.Maps = size
		} else {
			p.Basis = size
		}
	}
	return f.Over(p, rows, cols)
}

// Over returns the sizes given on the command line for a matrix of so many rows and
// columns, or those that are known.
func (f *Flags) Over(p Shown, rows, cols int) (Shown, error) {
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
		if p.Basis, err = parsePixels("image", f.image, byRows, rows, "columns"); err != nil {
			if _, e := parsePixels("image", f.image, byRows, cols, "rows"); e == nil {
				err = fmt.Errorf("%w; its rows have as many: --transpose makes columns of them, and --map is for columns that are the pixels of one image", err)
			}
			return p, err
		}
	}
	if f.mapped != "" {
		p.Maps, err = parsePixels("map", f.mapped, byRows, cols, "rows")
		if _, e := parsePixels("map", f.mapped, byRows, rows, "columns"); err != nil && e == nil {
			err = fmt.Errorf("%w; its columns have as many: --transpose makes rows of them, and --image is for columns that are images", err)
		}
	}
	return p, err
}

// parsePixels reads a size such as 19x19 that a flag gives for images of n pixels, as
// many as the columns or rows of the matrix have entries.
func parsePixels(flag, s string, byRows bool, n int, what string) (Pixels, error) {
	hs, ws, ok := strings.Cut(strings.ToLower(s), "x")
	h, herr := strconv.Atoi(hs)
	w, werr := strconv.Atoi(ws)
	if !ok || herr != nil || werr != nil || h < 1 || w < 1 {
		return Pixels{}, fmt.Errorf("--%s %q; want height x width in pixels, such as 19x19", flag, s)
	}
	if n%h != 0 || n/h != w {
		return Pixels{}, fmt.Errorf("--%s %s does not fit the %s of the matrix, which have %d entries", flag, s, what, n)
	}
	return Pixels{h, w, byRows}, nil
}

// Write draws the columns of a matrix.
func Write[T lnmu.Float](w io.Writer, v lnmu.Dense[T], size Pixels, layout figure.Options) error {
	basis := figure.Basis[T]{
		Rows: v.Rows, Cols: v.Cols, Data: v.Data, Stride: v.Stride,
		Height: size.Height, Width: size.Width, ByRows: size.ByRows,
	}
	return figure.Montage(w, basis, layout)
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
