// Package picture reads a folder of images as a matrix with one column per image: PGM, PNG,
// JPEG and TIFF, grey and of one size. Each page of a TIFF file is an image, and a TIFF file of
// several pages is such a folder itself. Images are read as they are shown: EXIF data and the
// TIFF tag of the orientation turn them.
//
// Open reads the headers, and estimates from them the memory that the decoders take. The pixels
// are decoded one image after the other.
package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/tiff"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
)

// ErrColour reports an image in colour where grey ones are required.
var ErrColour = fmt.Errorf("%w: an image in colour", input.ErrUnsupported)

// pngMagic is the beginning of every PNG image.
const pngMagic = "\x89PNG\r\n\x1a\n"

// IsPNG says whether head begins a PNG image.
func IsPNG(head []byte) bool { return bytes.HasPrefix(head, []byte(pngMagic)) }

// IsPGM says whether head begins a PGM or PPM image, or a PBM one, which Open refuses.
func IsPGM(head []byte) bool {
	return len(head) > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '6' && (text.IsSpace(head[2]) || head[2] == '#')
}

// otherImages are types of images that are not read. A folder that holds one is an error, so
// that no image is left out silently.
var otherImages = []string{".gif", ".bmp", ".webp", ".pbm", ".pam", ".pfm", ".heic", ".heif", ".avif", ".jp2", ".jxl", ".dcm"}

// imageTypes are the extensions of images that are read.
var imageTypes = []string{".pgm", ".ppm", ".pnm", ".png", ".jpg", ".jpeg", ".jfif", ".tif", ".tiff"}

// Folder is the dense matrix with one column per image.
type Folder struct {
	f      *input.File
	Names  []string // of the columns: the files, with the number of the page if there are several
	images []place
	decode int64 // bytes that decoding an image takes, at most
	grey   bool  // images in colour are taken as grey ones

	bytesLeft, turned, others, gamma, copies, noData noted
}

// place is where an image is: in a file, and there at a TIFF directory, or the first if 0.
type place struct {
	file      string
	directory int64
}

// noted counts the images that a note is about.
type noted struct {
	n     int
	first string // the name of the first
}

// add counts the image name if it is so.
func (n *noted) add(so bool, name string) {
	if !so {
		return
	}
	if n.n++; n.n == 1 {
		n.first = name
	}
}

// Open opens a folder of images as a matrix with one column per image. grey converts colours to
// grey.
func Open(f *input.File, grey bool) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	names, folders, err := Names(f)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return f.Foreign("a folder with neither .npy files nor images ("+strings.Join(imageTypes, ", ")+"), nor two-column files of text", "give a file in it by its own path")
	}
	if folders > 0 {
		f.Note("%d of %d image files are in folders within", folders, len(names))
	}
	slices.SortFunc(names, input.Natural)
	d := &Folder{f: f, grey: grey}
	for _, name := range names {
		if err := d.addFile(name); err != nil {
			return err
		}
	}
	return d.use()
}

// OpenTIFF opens a TIFF file of several pages as a matrix with one column per page. One page
// is an error that single describes.
func OpenTIFF(f *input.File, grey bool, single error) error {
	if err := f.NoVar(); err != nil {
		return err
	}
	d := &Folder{f: f, grey: grey}
	if err := d.addFile(""); err != nil {
		return err
	}
	if len(d.images) == 1 {
		return single
	}
	return d.use()
}

// addFile adds the images in a file. name is its path within the folder, or "" if the input is
// this file.
func (d *Folder) addFile(name string) error {
	im, err := d.image(place{file: name})
	if err != nil {
		return err
	}
	defer im.close()
	if name != "" {
		d.f.Size += im.f.Size
	}
	if im.directory == nil {
		return d.add(im, name, name)
	}
	first, page := len(d.images), 1
	called := func() string {
		if im.directory.next == 0 {
			return name
		}
		return strings.TrimPrefix(fmt.Sprintf("%s page %d", name, page), " ")
	}
	if err := d.add(im, name, called()); err != nil {
		return err
	}
	err = im.tiffPages(func(at int64) error {
		next, err := d.image(place{name, at})
		if err != nil {
			return err
		}
		defer next.close()
		page++
		return d.add(next, name, called())
	})
	if err != nil {
		return err
	}
	switch pages := len(d.images) - first; {
	case im.claimed > pages && !im.copies:
		return im.f.Unsupported("a TIFF file of several images in one directory, as ImageJ and tifffile write large stacks: save each image as a page of its own")
	case pages == 0:
		return im.f.Unsupported("a TIFF file with smaller copies of images only: write each image into a file of its own")
	case pages == 1:
		d.Names[first] = name
	}
	return nil
}

// add adds an image of the file name. The image is called so in messages and as a column.
func (d *Folder) add(im *imageFile, name, called string) error {
	d.copies.add(im.copies, called)
	if im.copies {
		return nil
	}
	d.bytesLeft.add(im.extra > 0, fmt.Sprintf("%s, %d bytes", called, im.extra))
	d.turned.add(im.orientation > upright, called)
	d.others.add(im.others, called)
	d.gamma.add(im.gamma, called)
	d.noData.add(im.noData, called)
	f := d.f
	d.decode = max(d.decode, im.decode)
	if f.Height == 0 {
		f.Height, f.Width = im.h, im.w
	}
	if im.h != f.Height || im.w != f.Width {
		return f.Unsupported("%s is %d x %d pixels, but %s is %d x %d: all images must have one size", called, im.h, im.w, d.Names[0], f.Height, f.Width)
	}
	at := place{file: name}
	if im.directory != nil {
		at.directory = im.directory.at
	}
	if err := f.Reserve(int64(len(called))+placeBytes, "its list of images"); err != nil {
		return err
	}
	d.images, d.Names = append(d.images, at), append(d.Names, called)
	return nil
}

// placeBytes is the memory of an image in the lists, including what growing lists leave behind.
const placeBytes = 2 * (24 + 16)

// use makes d the matrix of the file.
func (d *Folder) use() error {
	f := d.f
	for _, x := range []struct {
		noted
		text string // of the number, the number of all images, and the first name
	}{
		{d.bytesLeft, "the bytes after the pixels of %d of %d images are left out (first: %s)"},
		{d.turned, "%d of %d images are turned upright by their EXIF orientation (first: %s)"},
		{d.copies, "%d TIFF pages that are smaller copies or masks of others are left out (first: %[3]s)"},
		{d.noData, "%d images declare a value for pixels without data (GDAL_NODATA), which are read as the others (first: %[3]s)"},
		{d.others, "%d images hold further images, such as a preview, which are left out (first: %[3]s)"},
		{d.gamma, "%d images declare another gamma than 1/2.2 (gAMA), which is not applied: the numbers are as stored (first: %[3]s)"},
	} {
		if x.n > 0 {
			f.Note(x.text, x.n, len(d.Names), x.first)
		}
	}
	f.ByColumns = true
	f.Dense = d
	f.ColNames = d.Names
	_, err := f.SetDims(int64(f.Height)*int64(f.Width), int64(len(d.Names)))
	return err
}

// Names lists the images in the folder and in folders within it. within counts the latter
// images.
func Names(f *input.File) (names []string, within int, err error) {
	err = filepath.WalkDir(f.Path, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == f.Path {
			return err
		}
		if strings.HasPrefix(e.Name(), ".") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(f.Path, path)
		if err != nil || e.IsDir() {
			return err
		}
		name = filepath.ToSlash(name)
		switch ext := strings.ToLower(filepath.Ext(name)); {
		case slices.Contains(otherImages, ext):
			return f.Unsupported("image %s: convert it to .png", name)
		case slices.Contains(imageTypes, ext):
			if err := f.Reserve(int64(len(name))+input.NameBytes, "its list of images"); err != nil {
				return err
			}
			names = append(names, name)
			if strings.Contains(name, "/") {
				within++
			}
		}
		return nil
	})
	return names, within, err
}

// image opens an image and reads its header.
func (d *Folder) image(at place) (*imageFile, error) {
	im := &imageFile{f: &input.File{Path: d.f.Path, Size: d.f.Size, Whole: d.f}}
	handle := d.f.Handle
	if at.file != "" {
		var err error
		if im.f, err = d.f.Part(at.file); err != nil {
			return nil, err
		}
		handle = im.f.Handle
	}
	im.file = io.NewSectionReader(im.f.Endable(handle), 0, im.f.Size)
	im.r = bufio.NewReader(im.file)
	if err := im.readHeader(at.directory); err != nil {
		im.close()
		return nil, err
	}
	return im, nil
}

// readHeader reads the header of the image, of TIFF at the directory.
func (im *imageFile) readHeader(directory int64) error {
	head, err := im.r.Peek(33) // what else is wrong shows below
	var ended *input.EndedError
	switch {
	case errors.As(err, &ended):
		return err
	case IsPNG(head):
		im.decoder = png.Decode
		if err := im.pngHeader(head); err != nil {
			return err
		}
		return im.pngMetadata()
	case IsPGM(head):
		return im.pgmHeader()
	case bytes.HasPrefix(head, []byte("\xff\xd8")):
		im.decoder = jpeg.Decode
		if err := im.header(im.r, jpeg.DecodeConfig, jpegPixels); err != nil {
			return err
		}
		im.rewind()
		im.jpegMetadata()
		im.rewind()
		return nil
	case IsTIFF(head):
		im.decoder = tiff.Decode
		return im.tiffHeader(directory)
	}
	return im.f.Unsupported("not an image of a known type, PGM, PPM, PNG, JPEG or TIFF: convert it to .png")
}

// pngHeader reads the signature and the first chunk, IHDR: width, height, bits of
// a sample, type of colour.
func (im *imageFile) pngHeader(head []byte) error {
	if len(head) < 33 || string(head[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return im.f.Bad(8, "the PNG image has no header")
	}
	w, h := int64(binary.BigEndian.Uint32(head[16:])), int64(binary.BigEndian.Uint32(head[20:]))
	samples := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[head[25]]
	if samples == 0 || !slices.Contains([]byte{1, 2, 4, 8, 16}, head[24]) {
		return im.f.Bad(24, "the PNG header has colour type %d with %d bits, which PNG does not define", head[25], head[24])
	}
	line := 1 + (w*samples*int64(head[24])+7)/8 // fits: 32 + 7 bits
	size, ok := element.Mul(h, line)
	if err := im.setSize(h, w, size, ok, input.MaxInflate*im.f.Size); err != nil {
		return err
	}
	// The decoder makes at most four samples for each pixel, and a second copy for an
	// interlaced image.
	pixel := int64(4)
	if head[24] == 16 {
		pixel = 8
	}
	if head[28] != 0 {
		pixel *= 2
	}
	im.decode = element.Plus(element.Times(h*w, pixel), 2*line)
	return nil
}

// pixels reads the image into dst, column by column.
func (im *imageFile) pixels(dst []float64, grey bool) error {
	if im.decoder == nil {
		return im.pgmPixels(dst, grey)
	}
	var r io.Reader = im.r
	if im.page != nil {
		if err := im.checkStrips(); err != nil {
			return err
		}
		r = im.page
	}
	decoded, err := im.decoder(r)
	if err != nil {
		return im.undecoded(err)
	}
	b := decoded.Bounds()
	h, w := b.Dy(), b.Dx()
	if im.orientation > 4 {
		h, w = w, h
	}
	if h != im.h || w != im.w {
		return im.f.Bad(0, "the image has changed: it is now %d x %d pixels, not %d x %d", h, w, im.h, im.w)
	}
	at, ok := decoded.(image.RGBA64Image)
	if !ok {
		return im.f.Unsupported("an image of type %T", decoded)
	}
	for y := range im.h {
		for x := range im.w {
			// An 8-bit value v reads as 257 v, so the quotient is v/255.
			row, col := im.stored(y, x)
			c := at.RGBA64At(b.Min.X+col, b.Min.Y+row)
			switch {
			case c.A != 0xffff:
				return im.f.Unsupported("pixel %d, %d (row, column from 0) is transparent: put the image on an opaque background", y, x)
			case c.R == c.G && c.G == c.B:
				if im.inverted {
					c.R = 0xffff - c.R
				}
				dst[x*im.h+y] = float64(c.R) / 0xffff
			case grey:
				dst[x*im.h+y] = float64(luma(int(c.R), int(c.G), int(c.B))) / (1000 * 0xffff)
			default:
				return im.colour(y, x)
			}
		}
	}
	return nil
}

// luma returns 1000 times the grey of a colour, by ITU-R BT.601.
func luma(r, g, b int) int64 { return 299*int64(r) + 587*int64(g) + 114*int64(b) }

// Open starts reading from the first image.
func (d *Folder) Open() (input.Source, error) {
	if err := d.f.Reserve(d.decode, "decoding its images"); err != nil {
		return nil, err
	}
	buf, err := input.Alloc[float64](d.f, int64(d.f.Height)*int64(d.f.Width))
	if err != nil {
		return nil, err
	}
	next := 0 // image
	return &input.Pieces{Load: func() ([]float64, error) {
		im, err := d.image(d.images[next])
		if err != nil {
			return nil, err
		}
		defer im.close()
		if im.h != d.f.Height || im.w != d.f.Width || im.decode > d.decode {
			return nil, im.f.Bad(0, "the image has changed")
		}
		next++
		return buf, im.pixels(buf, d.grey)
	}}, nil
}
