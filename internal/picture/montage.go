package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"nmu/lnmu"
)

const (
	separator   = 2    // pixels between and around images
	margin      = 6    // pixels between the labelled parts of a stack
	defaultSide = 64   // pixels that the shorter side of an image gets at least
	longestSide = 1024 // pixels that the default zoom keeps the longer side within
	// maxPixels bounds the whole picture, one byte each.
	maxPixels = 1 << 28
	// lineHeight and letterWidth are those of the font of labels and numbers.
	lineHeight, letterWidth = 13, 7
)

// gray is the color of separators and of cells without an image.
var gray = color.Gray{Y: 170}

// Basis is a matrix whose columns are images of a size, finite and nonnegative, or NaN, which is transparent.
type Basis[T lnmu.Float] struct {
	Label string // above the images; characters outside of ASCII may be shown as a placeholder
	V     lnmu.Dense[T]
	Size  Pixels
}

// Layout is the layout of a picture. The zero value is the default.
type Layout struct {
	// Columns is the number of images beside each other, or 0 for the
	// smallest number whose square holds all images.
	Columns int
	// Zoom enlarges each pixel to Zoom x Zoom. With 0 the shorter side of an image gets at
	// least 64 pixels, unless the longer side would then exceed 1024.
	Zoom int
	// Numbered puts the number of each image, from 1, above it.
	Numbered bool
	// Invert draws 0 black and the largest entry white.
	Invert bool
	// Most, if positive, counts as the largest entry of every image, so that all have one scale.
	Most float64
}

// Write writes the columns of a matrix as Stack does.
func Write[T lnmu.Float](w io.Writer, v lnmu.Dense[T], size Pixels, layout Layout) error {
	return Stack(w, []Basis[T]{{V: v, Size: size}}, layout)
}

// Stack writes one PNG with the images of all bases, one basis below the other, each with its label
// above it. Each image is divided by its own largest entry, unless the layout gives one for all; an
// image of zeros is white. It returns an error before anything is written if a size does not fit, an
// entry is negative or infinite, or the picture would have more than 2^28 pixels.
func Stack[T lnmu.Float](out io.Writer, bases []Basis[T], o Layout) error {
	grids := make([]grid, len(bases))
	size, gaps := image.Pt(0, -margin), false
	for i, b := range bases {
		g, err := newGrid(b, o)
		if err == nil {
			g.top = size.Y + margin
			if size = image.Pt(max(size.X, g.size.X), g.top+g.size.Y); size.X > maxPixels/size.Y {
				err = fmt.Errorf("a picture of %d x %d pixels is too large; use a smaller zoom or fewer images", size.Y, size.X)
			}
		}
		if err != nil && b.Label != "" {
			err = fmt.Errorf("%.60q: %w", b.Label, err)
		}
		if err != nil {
			return fmt.Errorf("picture: %w", err)
		}
		grids[i], gaps = g, gaps || g.gaps
	}
	if len(bases) == 0 {
		return errors.New("picture: no images to draw")
	}
	var picture draw.Image = image.NewGray(image.Rectangle{Max: size})
	if gaps {
		picture = image.NewNRGBA(picture.Bounds())
	}
	fill(picture, picture.Bounds(), color.White)
	for i, b := range bases {
		paint(picture, grids[i], b)
	}
	if err := png.Encode(out, picture); err != nil {
		return fmt.Errorf("picture: writing PNG: %w", err)
	}
	return nil
}

// check returns the first reason why b cannot be drawn, and whether entries are NaN.
func (b Basis[T]) check() (gaps bool, err error) {
	height, width := b.Size.Height, b.Size.Width
	switch {
	case !b.Size.Known():
		return false, fmt.Errorf("image size %d x %d must be at least 1 x 1", height, width)
	case b.V.Rows%height != 0 || b.V.Rows/height != width:
		return false, fmt.Errorf("images of %d x %d pixels do not fit a matrix of %d rows: height times width must equal the number of rows", height, width, b.V.Rows)
	case b.V.Cols < 1:
		return false, fmt.Errorf("matrix has %d columns, there must be at least one image", b.V.Cols)
	}
	for i := range b.V.Rows {
		for k, x := range b.V.Row(i) {
			if x < 0 || math.IsInf(float64(x), 0) {
				return false, fmt.Errorf("row %d, column %d = %v is not a finite nonnegative number", i+1, k+1, x)
			}
			gaps = gaps || x != x
		}
	}
	return gaps, nil
}

// grid is the position of one basis in the picture, in pixels of the picture.
type grid struct {
	Layout             // with the zoom and the columns that are used
	top    int         // first row, where the label starts
	label  int         // height of the label
	number int         // height of the number of an image
	cell   image.Point // of an image with its number
	images image.Point // all images with their separators
	size   image.Point // all
	gaps   bool        // entries are NaN
}

// newGrid returns the grid of a basis, or the first reason why the basis cannot be drawn.
func newGrid[T lnmu.Float](b Basis[T], o Layout) (g grid, err error) {
	g.Layout = o
	if o.Columns < 0 || o.Zoom < 0 {
		return g, fmt.Errorf("columns %d and zoom %d must not be negative", o.Columns, o.Zoom)
	}
	if g.gaps, err = b.check(); err != nil {
		return g, err
	}
	height, width := b.Size.Height, b.Size.Width
	g.Columns = min(o.Columns, b.V.Cols)
	for o.Columns == 0 && g.Columns*g.Columns < b.V.Cols {
		g.Columns++
	}
	rows := (b.V.Cols-1)/g.Columns + 1
	if g.Zoom == 0 { // the smallest factor that gives the shorter side defaultSide pixels
		g.Zoom = max(1, min((defaultSide-1)/min(height, width)+1, longestSide/max(height, width)))
	}
	if o.Numbered {
		g.number = lineHeight
	}
	if b.Label != "" {
		g.label = lineHeight + separator
	}
	// In float64 no product overflows.
	down, across := float64(g.Zoom)*float64(height)+float64(g.number+separator), float64(g.Zoom)*float64(width)+separator
	if wide := max(float64(g.Columns)*across, letterWidth*float64(len(b.Label))); float64(rows)*down*wide > maxPixels {
		return g, fmt.Errorf("%d images of %d x %d pixels enlarged %d times are too large for one picture", b.V.Cols, height, width, g.Zoom)
	}
	g.cell = image.Pt(int(across)-separator, int(down)-separator)
	g.images = image.Pt(g.Columns*int(across)+separator, rows*int(down)+separator)
	g.size = image.Pt(max(g.images.X, 2*separator+letterWidth*utf8.RuneCountInString(b.Label)), g.label+g.images.Y)
	return g, nil
}

// paint draws the label, the separators and the images of b.
func paint[T lnmu.Float](picture draw.Image, g grid, b Basis[T]) {
	write(picture, b.Label, image.Pt(separator, g.top))
	corner := image.Pt(0, g.top+g.label)
	fill(picture, image.Rectangle{corner, corner.Add(g.images)}, gray)
	for k := range b.V.Cols {
		at := corner.Add(image.Pt(separator+k%g.Columns*(g.cell.X+separator), separator+k/g.Columns*(g.cell.Y+separator)))
		if g.number > 0 {
			write(picture, strconv.Itoa(k+1), at)
		}
		paintImage(picture, g, b, k, at.Add(image.Pt(0, g.number)))
	}
}

// write writes a line of text from its upper left corner on.
func write(picture draw.Image, line string, corner image.Point) {
	text := font.Drawer{Dst: picture, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(corner.X, corner.Y+basicfont.Face7x13.Ascent)}
	text.DrawString(line)
}

// paintImage draws image k from its upper left corner on.
func paintImage[T lnmu.Float](picture draw.Image, g grid, b Basis[T], k int, corner image.Point) {
	largest := T(g.Most)
	for i := 0; i < b.V.Rows && g.Most <= 0; i++ {
		if x := b.V.At(i, k); x > largest {
			largest = x
		}
	}
	for y := range b.Size.Height {
		for x := range b.Size.Width {
			e := b.V.At(b.Size.At(y, x), k)
			var shade color.Color = color.Transparent
			if e == e {
				level := color.Gray{Y: 255}
				if largest > 0 {
					level.Y = uint8(math.Round(255 * (1 - min(1, float64(e)/float64(largest)))))
				}
				if g.Invert {
					level.Y = 255 - level.Y
				}
				shade = level
			}
			fill(picture, image.Rect(x*g.Zoom, y*g.Zoom, (x+1)*g.Zoom, (y+1)*g.Zoom).Add(corner), shade)
		}
	}
}

// fill sets all pixels of a rectangle.
func fill(picture draw.Image, r image.Rectangle, c color.Color) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			picture.Set(x, y, c)
		}
	}
}
