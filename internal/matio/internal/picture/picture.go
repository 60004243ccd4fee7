package picture

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/tiff"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
	"nmu/internal/matio/internal/text"
	"nmu/internal/regular"
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
var otherImages = []string{".gif", ".bmp", ".webp", ".pbm"}

// imageTypes are the extensions of images that are read.
var imageTypes = []string{".pgm", ".ppm", ".pnm", ".png", ".jpg", ".jpeg", ".tif", ".tiff"}

// Folder is the dense matrix with one column per image.
type Folder struct {
	f      *input.File
	Names  []string // of the files, in the order of the columns
	decode int64    // bytes that decoding an image takes, at most
	grey   bool     // images in colour are taken as grey ones
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
	d := &Folder{f: f, Names: names, grey: grey}
	if len(d.Names) == 0 {
		return f.Foreign("a folder with neither .npy files nor images ("+strings.Join(imageTypes, ", ")+")", "give a file in it by its own path")
	}
	if folders > 0 {
		f.Note("%d of %d images are in folders within", folders, len(d.Names))
	}
	slices.SortFunc(d.Names, input.Natural)
	with, first := 0, ""
	for _, name := range d.Names {
		im, err := d.image(name)
		if err != nil {
			return err
		}
		im.file.Close()
		if im.extra > 0 {
			if with++; with == 1 {
				first = fmt.Sprintf("%s, %d bytes", name, im.extra)
			}
		}
		f.Size += im.f.Size
		d.decode = max(d.decode, im.decode)
		if f.Height == 0 {
			f.Height, f.Width = im.h, im.w
		}
		if im.h != f.Height || im.w != f.Width {
			return f.Bad(0, "%s is %d x %d pixels, but %s is %d x %d", name, im.h, im.w, d.Names[0], f.Height, f.Width)
		}
	}
	if with > 0 {
		f.Note("the bytes after the pixels of %d of %d images are left out (first: %s)", with, len(d.Names), first)
	}
	f.ByColumns = true
	f.Dense = d
	f.ColNames = d.Names
	_, err = f.SetDims(int64(f.Height)*int64(f.Width), int64(len(d.Names)))
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
func (d *Folder) image(name string) (*imageFile, error) {
	path := filepath.Join(d.f.Path, name)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	im := &imageFile{f: &input.File{Path: path, Size: info.Size()}}
	if !info.Mode().IsRegular() {
		return nil, im.f.Unsupported("not a regular file")
	}
	if im.file, err = regular.Open(path); err != nil {
		return nil, err
	}
	im.r = bufio.NewReader(im.file)
	head, _ := im.r.Peek(33) // what is wrong shows below
	switch {
	case IsPNG(head):
		im.decoder = png.Decode
		err = im.pngHeader(head)
	case IsPGM(head):
		err = im.pgmHeader()
	case bytes.HasPrefix(head, []byte("\xff\xd8")):
		im.decoder = jpeg.Decode
		err = im.header(jpeg.DecodeConfig, jpegPixels)
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		im.decoder = tiff.Decode
		err = im.tiffHeader()
	default:
		err = im.f.Bad(0, "not an image of a known type: want PGM, PPM, PNG, JPEG or TIFF")
	}
	if err != nil {
		im.file.Close()
		return nil, err
	}
	return im, nil
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
	im.decode = math.MaxInt64
	if n, ok := element.Mul(h*w, pixel); ok && n < im.decode-2*line {
		im.decode = n + 2*line
	}
	return nil
}

// pixels reads the image into dst, column by column.
func (im *imageFile) pixels(dst []float64, grey bool) error {
	if im.decoder == nil {
		return im.pgmPixels(dst, grey)
	}
	decoded, err := im.decoder(im.r)
	if err != nil {
		return im.f.ReadError(0, err)
	}
	b := decoded.Bounds()
	if b.Dx() != im.w || b.Dy() != im.h {
		return im.f.Bad(0, "the image has changed: it is now %d x %d pixels, not %d x %d", b.Dy(), b.Dx(), im.h, im.w)
	}
	at, ok := decoded.(image.RGBA64Image)
	if !ok {
		return im.f.Unsupported("an image of type %T", decoded)
	}
	for y := range im.h {
		for x := range im.w {
			// An 8-bit value v reads as 257 v, so the quotient is v/255.
			c := at.RGBA64At(b.Min.X+x, b.Min.Y+y)
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

// Verify does nothing: Open checked the headers.
func (d *Folder) Verify() error { return nil }

// Open starts reading from the first image.
func (d *Folder) Open() (input.Source, error) {
	if err := d.f.Reserve(d.decode, "decoding its images"); err != nil {
		return nil, err
	}
	buf, err := input.Alloc[float64](d.f, int64(d.f.Height)*int64(d.f.Width))
	if err != nil {
		return nil, err
	}
	return &imageSource{d: d, buf: buf}, nil
}

// imageSource delivers the pixels of one image after the other.
type imageSource struct {
	d    *Folder
	n    int       // images read
	buf  []float64 // of one image
	rest []float64 // of buf, not yet delivered
}

func (s *imageSource) Next(dst []float64) error {
	for len(dst) > 0 {
		if len(s.rest) == 0 {
			if err := s.load(); err != nil {
				return err
			}
		}
		n := copy(dst, s.rest)
		dst, s.rest = dst[n:], s.rest[n:]
	}
	return nil
}

// load reads the next image.
func (s *imageSource) load() error {
	name := s.d.Names[s.n]
	im, err := s.d.image(name)
	if err != nil {
		return err
	}
	defer im.file.Close()
	f := s.d.f
	if im.h != f.Height || im.w != f.Width {
		return im.f.Bad(0, "the image has changed")
	}
	if im.decode > s.d.decode {
		return im.f.Bad(0, "the image has changed")
	}
	s.n++
	s.rest = s.buf
	return im.pixels(s.buf, s.d.grey)
}

func (s *imageSource) Close() error { return nil }
