package picture

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/tiff"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// The most pixels that one byte of a file can give. In JPEG each 8 x 8 block takes at least one
// bit. The compressions of TIFF multiply by less than 4096.
const (
	jpegPixels = 512
	tiffPixels = 4096
)

// imageFile is an opened image.
type imageFile struct {
	f    *input.File // for messages
	file *io.SectionReader
	r    *bufio.Reader
	pos  int64 // of PGM and PPM: where the pixels begin
	h, w int   // as shown
	max  int   // of PGM and PPM: the largest value,
	text bool  // whether the pixels are in decimal,

	samples int   // numbers of a pixel,
	extra   int64 // bytes after the pixels

	decoder     func(io.Reader) (image.Image, error) // of another type than these
	decode      int64                                // bytes that decoding it takes, beside the result
	inverted    bool                                 // the decoder gives white for black
	orientation int                                  // 2 to 8: the pixels are not stored as shown
	others      bool                                 // the file has further images, which are left out
	gamma       bool                                 // the file declares another gamma than that of most images

	page      *page          // of TIFF
	directory *tiffDirectory // of TIFF
	copies    bool           // of TIFF: the page is a smaller copy or the mask of another
	noData    bool           // of TIFF: the file declares a value of pixels without data
	claimed   int            // of TIFF: how many images the description claims, or 0
}

// close closes a file that the folder opened.
func (im *imageFile) close() {
	if im.f.Handle != nil {
		im.f.Handle.Close()
	}
}

// setSize sets the size h x w that a header claims. The data of the image take size bytes, and
// the file may hold at most limit. ok says whether size did not overflow.
func (im *imageFile) setSize(h, w int64, size int64, ok bool, limit int64) error {
	if h == 0 || w == 0 {
		return im.f.Bad(0, "the image has %d x %d pixels: want at least 1 x 1", h, w)
	}
	n, fits := element.Mul(h, w)
	if !ok || !fits || size > limit {
		return im.f.Bad(0, "the header claims %d x %d pixels, more than the %d bytes of the file can hold", h, w, im.f.Size)
	}
	if int64(int(n)) != n {
		return im.f.TooLarge("an image of %d x %d pixels", h, w)
	}
	im.h, im.w = int(h), int(w)
	return nil
}

// rewind makes r deliver the file from its beginning.
func (im *imageFile) rewind() {
	_, _ = im.file.Seek(0, io.SeekStart) // which cannot fail
	im.r.Reset(im.file)
}

// header reads the header of an image from r with config. One byte of the file can give at most
// most pixels.
func (im *imageFile) header(r io.Reader, config func(io.Reader) (image.Config, error), most int64) error {
	c, err := config(r)
	if err != nil {
		return im.undecoded(err)
	}
	h, w := int64(c.Height), int64(c.Width)
	n, ok := element.Mul(h, w)
	if err := im.setSize(h, w, n, ok, most*im.f.Size); err != nil {
		return err
	}
	// A decoder keeps up to four samples of 16 bits, or coefficients of 32 bits in
	// three components, and a copy of the file.
	im.decode = element.Plus(element.Times(n, 24), im.f.Size)
	return nil
}

// undecoded returns the error for an image that its decoder refuses.
func (im *imageFile) undecoded(err error) error {
	var (
		inPNG  png.UnsupportedError
		inJPEG jpeg.UnsupportedError
		inTIFF tiff.UnsupportedError
	)
	sort, why := "", ""
	switch {
	case errors.As(err, &inPNG):
		sort, why = "PNG", string(inPNG)
	case errors.As(err, &inJPEG):
		sort, why = "JPEG", string(inJPEG)
	case errors.As(err, &inTIFF):
		sort, why = "TIFF", string(inTIFF)
	default:
		return im.f.ReadError(0, err)
	}
	way := "convert it to .png with 8 or 16 bits"
	if sort == "TIFF" { // of numbers that a .png would not hold
		way += ", or keep its numbers in Python: numpy.save(\"m.npy\", tifffile.imread(FILE).T.reshape(-1, N)) for N pages, read with " + im.f.Setting("image", "HxW")
	}
	return im.f.Unsupported("a %s image of a kind that is not read (%s): %s", sort, why, way)
}

// colour returns the error for a pixel in colour.
func (im *imageFile) colour(y, x int) error {
	return fmt.Errorf("%s: pixel %d, %d (row, column from 0): %w", im.f.Path, y, x, ErrColour)
}
