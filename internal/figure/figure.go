package figure

import (
	"errors"
	"fmt"
	"image"
	drawing "image/draw"
	"image/png"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// ErrArgument reports invalid sizes, entries or options. All errors but those of the writer
// wrap it.
var ErrArgument = errors.New("figure: invalid argument")

const (
	separator   = 2    // pixels between and around images
	margin      = 6    // pixels between the labelled parts of a stack
	defaultSide = 64   // pixels that the shorter side of an image gets at least
	longestSide = 1024 // pixels that the default zoom keeps the longer side within
	// maxPixels bounds the whole picture, one byte each.
	maxPixels = 1 << 28

	white = 255
	black = 0
	gray  = 170
)

// Float is the type of a matrix entry.
type Float interface{ float32 | float64 }

// Basis is a matrix whose columns are images.
type Basis[T Float] struct {
	// Label is printed above the images unless it is empty. Characters
	// outside of ASCII may be shown as a placeholder.
	Label string
	// Entry (i, k) of the Rows x Cols matrix is Data[i*Stride+k]; pixel
	// (y, x) of image k is entry (y + Height*x, k), or, with ByRows, entry
	// (Width*y + x, k). Rows must be Height*Width and the entries finite and
	// nonnegative, or NaN, which is transparent.
	Rows, Cols int
	Data       []T
	Stride     int
	// Height and Width are the size of an image in pixels.
	Height, Width int
	ByRows        bool
}

// Options is the layout of a figure. The zero value is the default.
type Options struct {
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

// Montage writes the images of b to out as one PNG. It is Stack with one
// element.
func Montage[T Float](out io.Writer, b Basis[T], o Options) error {
	return Stack(out, []Basis[T]{b}, o)
}

// Stack writes one PNG with the images of all bases, one basis below the
// other, each with its label above it. Each image is divided by its own
// largest entry, unless the options give one for all; an image of zeros is white. It returns an error that wraps
// ErrArgument, before anything is written, if a size does not fit, an entry is
// negative or infinite, or the picture would have more than 2^28 pixels.
func Stack[T Float](out io.Writer, bases []Basis[T], o Options) error {
	if len(bases) == 0 {
		return fmt.Errorf("%w: no images to draw", ErrArgument)
	}
	if o.Columns < 0 || o.Zoom < 0 {
		return fmt.Errorf("%w: columns %d and zoom %d must not be negative", ErrArgument, o.Columns, o.Zoom)
	}
	grids := make([]grid, len(bases))
	width, height := 0, 0
	for i, b := range bases {
		g, err := newGrid(b, o)
		if err == nil {
			if i > 0 {
				height += margin
			}
			g.top = height
			height, width = height+g.height(), max(width, g.width())
			if width > maxPixels/height {
				err = fmt.Errorf("a picture of %d x %d pixels is too large; use a smaller zoom or fewer images", height, width)
			}
		}
		if err != nil {
			return fmt.Errorf("%w: %s%w", ErrArgument, b.prefix(), err)
		}
		grids[i] = g
	}
	picture := image.NewGray(image.Rect(0, 0, width, height))
	fill(picture, picture.Rect, white)
	var gaps []image.Rectangle
	for i, b := range bases {
		gaps = append(gaps, draw(picture, grids[i], b)...)
	}
	var shown drawing.Image = picture
	if gaps != nil {
		shown = image.NewNRGBA(picture.Rect)
		drawing.Draw(shown, picture.Rect, picture, picture.Rect.Min, drawing.Src)
	}
	for _, r := range gaps {
		drawing.Draw(shown, r, image.Transparent, image.Point{}, drawing.Src)
	}
	if err := png.Encode(out, shown); err != nil {
		return fmt.Errorf("figure: writing PNG: %w", err)
	}
	return nil
}

func (b Basis[T]) prefix() string {
	if b.Label == "" {
		return ""
	}
	return fmt.Sprintf("%.60q: ", b.Label)
}

// check returns the first reason why b cannot be drawn.
func (b Basis[T]) check() error {
	switch {
	case b.Height < 1 || b.Width < 1:
		return fmt.Errorf("image size %d x %d must be at least 1 x 1", b.Height, b.Width)
	case b.Rows%b.Height != 0 || b.Rows/b.Height != b.Width:
		return fmt.Errorf("images of %d x %d pixels do not fit a matrix of %d rows: height times width must equal the number of rows",
			b.Height, b.Width, b.Rows)
	case b.Cols < 1:
		return fmt.Errorf("matrix has %d columns, there must be at least one image", b.Cols)
	case b.Stride < b.Cols:
		return fmt.Errorf("stride %d is less than the %d columns", b.Stride, b.Cols)
	case len(b.Data) < b.Cols || (len(b.Data)-b.Cols)/b.Stride < b.Rows-1:
		return fmt.Errorf("%d numbers are too few for %d x %d entries with stride %d", len(b.Data), b.Rows, b.Cols, b.Stride)
	}
	for i := range b.Rows {
		for k, x := range b.Data[i*b.Stride : i*b.Stride+b.Cols] {
			if x < 0 || math.IsInf(float64(x), 0) {
				return fmt.Errorf("row %d, column %d = %v is not a finite nonnegative number", i+1, k+1, x)
			}
		}
	}
	return nil
}

// grid is the position of one basis in the picture, in pixels of the picture.
type grid struct {
	Options       // with the zoom that is used
	label         string
	top           int // first row, where the label starts
	columns, rows int // images beside and below each other
	cellHeight    int // of an image
	cellWidth     int
	number        int // height of the numbers
}

// newGrid returns the grid of a basis, or the first reason why the basis cannot be drawn.
func newGrid[T Float](b Basis[T], o Options) (grid, error) {
	if err := b.check(); err != nil {
		return grid{}, err
	}
	g := grid{Options: o, label: b.Label, columns: min(o.Columns, b.Cols)}
	for o.Columns == 0 && g.columns*g.columns < b.Cols {
		g.columns++
	}
	g.rows = (b.Cols-1)/g.columns + 1
	if g.Zoom == 0 {
		g.Zoom = defaultZoom(b.Height, b.Width)
	}
	if o.Numbered {
		g.number = basicfont.Face7x13.Height
	}
	// Check before multiplying, so that no product below overflows.
	if g.Zoom > maxPixels/b.Height || g.Zoom > maxPixels/b.Width {
		return grid{}, fmt.Errorf("images of %d x %d pixels enlarged %d times are too large", b.Height, b.Width, g.Zoom)
	}
	g.cellHeight, g.cellWidth = g.Zoom*b.Height, g.Zoom*b.Width
	if g.columns > maxPixels/(g.cellWidth+separator) || g.rows > maxPixels/(g.cellHeight+g.number+separator) ||
		len(g.label) > maxPixels/basicfont.Face7x13.Advance {
		return grid{}, fmt.Errorf("%d images of %d x %d pixels enlarged %d times are too large for one picture", b.Cols, b.Height, b.Width, g.Zoom)
	}
	return g, nil
}

// defaultZoom returns the smallest factor that gives the shorter side defaultSide pixels, or
// the largest that keeps the longer one within longestSide.
func defaultZoom(height, width int) int {
	shorter, longer := min(height, width), max(height, width)
	return max(1, min((defaultSide-1)/shorter+1, longestSide/longer))
}

// labelHeight returns the number of rows above the images, zero without a label.
func (g grid) labelHeight() int {
	if g.label == "" {
		return 0
	}
	return basicfont.Face7x13.Height + separator
}

func (g grid) height() int {
	return g.labelHeight() + g.rows*(g.cellHeight+g.number+separator) + separator
}

func (g grid) width() int {
	return max(g.imagesWidth(), 2*separator+basicfont.Face7x13.Advance*utf8.RuneCountInString(g.label))
}

func (g grid) imagesWidth() int {
	return g.columns*(g.cellWidth+separator) + separator
}

// cell returns the rectangle of image k.
func (g grid) cell(k int) image.Rectangle {
	x := separator + k%g.columns*(g.cellWidth+separator)
	y := g.top + g.labelHeight() + separator + k/g.columns*(g.cellHeight+g.number+separator) + g.number
	return image.Rect(x, y, x+g.cellWidth, y+g.cellHeight)
}

// draw draws the label, the separators and the images of b. Cells without an image stay gray. It
// returns the pixels that are NaN.
func draw[T Float](picture *image.Gray, g grid, b Basis[T]) (gaps []image.Rectangle) {
	if g.label != "" {
		write(picture, g.label, separator, g.top)
	}
	images := image.Rect(0, g.top+g.labelHeight(), g.imagesWidth(), g.top+g.height())
	fill(picture, images, gray)
	for k := range b.Cols {
		cell := g.cell(k)
		gaps = append(gaps, drawImage(picture, g, b, k, cell.Min)...)
		if g.number > 0 {
			write(picture, strconv.Itoa(k+1), cell.Min.X, cell.Min.Y-g.number)
		}
	}
	return gaps
}

// write writes a line of text whose upper left corner is at left, top.
func write(picture *image.Gray, line string, left, top int) {
	text := font.Drawer{Dst: picture, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(left, top+basicfont.Face7x13.Ascent)}
	text.DrawString(line)
}

// drawImage draws image k from its upper left corner on. It returns the pixels that are NaN.
func drawImage[T Float](picture *image.Gray, g grid, b Basis[T], k int, corner image.Point) (gaps []image.Rectangle) {
	largest := T(g.Most)
	for i := 0; i < b.Rows && g.Most <= 0; i++ {
		if x := b.Data[i*b.Stride+k]; x > largest {
			largest = x
		}
	}
	for x := range b.Width {
		for y := range b.Height {
			pixel := image.Rect(x*g.Zoom, y*g.Zoom, (x+1)*g.Zoom, (y+1)*g.Zoom).Add(corner)
			e := b.at(y, x, k)
			if e != e {
				gaps = append(gaps, pixel)
			}
			level := shade(float64(e), float64(largest))
			if g.Invert {
				level = white - level
			}
			fill(picture, pixel, level)
		}
	}
	return gaps
}

// at returns pixel (y, x) of image k.
func (b Basis[T]) at(y, x, k int) T {
	i := y + b.Height*x
	if b.ByRows {
		i = b.Width*y + x
	}
	return b.Data[i*b.Stride+k]
}

// shade maps 0 to white and largest to black.
func shade(x, largest float64) uint8 {
	if largest == 0 || math.IsNaN(x) {
		return white
	}
	return uint8(math.Round(white * (1 - min(1, x/largest))))
}

func fill(picture *image.Gray, r image.Rectangle, level uint8) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := picture.Pix[picture.PixOffset(r.Min.X, y):picture.PixOffset(r.Max.X, y)]
		for i := range row {
			row[i] = level
		}
	}
}
