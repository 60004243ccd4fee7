package picture_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// paint returns a 2 x 3 image of the grey values v.
func paint(im interface {
	image.Image
	Set(x, y int, c color.Color)
}, v ...uint16) image.Image {
	for i, g := range v {
		im.Set(i%3, i/3, color.Gray16{Y: g})
	}
	return im
}

func TestImages(t *testing.T) {
	r := image.Rect(0, 0, 3, 2)
	grey := []uint16{0, 0x3333, 0x6666, 0x9999, 0xcccc, 0xffff}
	files := map[string][]byte{
		"img1.pgm":    []byte("P5\n# a comment\n3 2\n255\n\x00\x33\x66\x99\xcc\xff"),
		"img2.pgm":    []byte("P2 3 2#size\n5 0 1 2\n# middle\n3 4 5"),
		"img03.pgm":   []byte("P5 3 2 65535\n\x00\x00\x33\x33\x66\x66\x99\x99\xcc\xcc\xff\xff\n"),
		"img4.PNG":    matiotest.PNGFile(t, paint(image.NewGray(r), grey...)),
		"img5.png":    matiotest.PNGFile(t, paint(image.NewGray16(r), grey...)),
		"img6.png":    matiotest.PNGFile(t, paint(image.NewNRGBA(r), grey...)),
		"img7.png":    matiotest.PNGFile(t, paint(image.NewNRGBA64(r), grey...)),
		"img8.png":    matiotest.PNGFile(t, paint(image.NewPaletted(r, color.Palette{color.Gray{0}, color.Gray{0x33}, color.Gray{0x66}, color.Gray{0x99}, color.Gray{0xcc}, color.Gray{0xff}}), grey...)),
		"img9.pgm":    matiotest.PNGFile(t, paint(image.NewGray(r), grey...)), // the name lies
		"img10.pgm":   []byte("P5 3 2 5\n\x05\x00\x00\x00\x00\x00"),
		"README":      []byte("not an image"),
		".hidden.png": nil,
	}
	dir := matiotest.FolderOf(t, files)
	must.Do(t, os.Mkdir(filepath.Join(dir, "sub.png"), 0o777))
	// Pixels column by column.
	image := []float64{0, 0.6, 0.2, 0.8, 0.4, 1}
	want := matiotest.New(10, 6, nil)
	for range 9 {
		want.Data = append(want.Data, image...)
	}
	want.Data = append(want.Data, 1, 0, 0, 0, 0, 0)
	matiotest.WantDense(t, dir, "", want.Transpose())
	f := matiotest.Open(t, dir, matio.Options{})
	if h, w, ok := f.ImageSize(); h != 2 || w != 3 || !ok {
		t.Errorf("ImageSize() = %d, %d, %v", h, w, ok)
	}
	if h, w, ok := matiotest.Open(t, dir, matio.Options{Transpose: true}).ImageSize(); h != 0 || w != 0 || ok {
		t.Errorf("ImageSize() = %d, %d, %v of a transposed matrix", h, w, ok)
	}
}

func TestImageErrors(t *testing.T) {
	ok := []byte("P5 3 2 255\n\x00\x33\x66\x99\xcc\xff")
	r := image.Rect(0, 0, 3, 2)
	colour := image.NewNRGBA(r)
	colour.Set(1, 1, color.NRGBA{1, 2, 3, 255})
	clear := image.NewNRGBA(r)
	good := matiotest.PNGFile(t, image.NewGray(r))
	claimOf := func(png []byte, sizeAndDepth string) []byte { // in a header that is sound else
		b := bytes.Clone(png)
		copy(b[16:], sizeAndDepth)
		binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
		return b
	}
	claim := func(sizeAndDepth string) []byte { return claimOf(good, sizeAndDepth) }
	for _, c := range []struct {
		name     string
		content  []byte
		sentinel error
		text     string
	}{
		{"a.pgm", []byte("P5 2 3 255\n\x00\x33\x66\x99\xcc\xff"), matio.ErrUnsupported, "b.pgm is 2 x 3 pixels, but a.pgm is 3 x 2: all images must have one size"},
		{"a.pgm", ok[:len(ok)-1], matio.ErrFormat, "bytes of the file can hold"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 4 5 5 7"), matio.ErrFormat, "data follow"},
		{"a.pgm", append(bytes.Clone(ok), ok...), matio.ErrUnsupported, "a second image follows the first at byte 17: write one image into each file"},
		{"a.pgm", []byte("P5 3 2 "), matio.ErrFormat, "too early"},
		{"a.pgm", []byte("P5 3 x 255\n"), matio.ErrFormat, "decimal"},
		{"a.pgm", []byte("P5 3 0 255\n"), matio.ErrFormat, "0 x 3"},
		{"a.pgm", []byte("P5 3 2 0\n123456"), matio.ErrFormat, "largest value 0"},
		{"a.pgm", []byte("P5 3 2 65536\n123456123456"), matio.ErrFormat, "largest value 65536"},
		{"a.pgm", []byte("P5 3 2 65535\n123456"), matio.ErrFormat, "bytes of the file can hold"},
		{"a.pgm", []byte("P5 3 2 50\n123456"), matio.ErrFormat, "value 51"},
		{"a.pgm", []byte("P5 9999999999 9999999999 255\n123456"), matio.ErrFormat, "bytes of the file can hold"},
		{"a.pgm", []byte("P5 99999999999 1 255\n123456"), matio.ErrFormat, "ten digits"},
		{"a.pgm", []byte("P2 10000000 100000000 255\n1 2 3"), matio.ErrFormat, "bytes of the file can hold"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 4 5 6"), matio.ErrFormat, "value 6"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 44444 5"), matio.ErrFormat, "value 44444"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 4 5      "), matio.ErrFormat, "too early"},
		{"a.ppm", []byte("P6 3 2 255\n123456123456123456"), matio.ErrColour, "pixel 0, 0"},
		{"a.ppm", []byte("P6 3 2 255\n123456"), matio.ErrFormat, "bytes of the file can hold"},
		{"a.pgm", []byte("P4 3 2\n12"), matio.ErrUnsupported, "bitmap"},
		{"a.pgm", []byte("GIF89a"), matio.ErrUnsupported, "not an image of a known type"},
		{"a.pgm", nil, matio.ErrUnsupported, "not an image"},
		{"a.gif", nil, matio.ErrUnsupported, "a.gif"},
		{"a.jpg", nil, matio.ErrUnsupported, "a.jpg"},
		{"a.jpg", matiotest.JPEGFile(t, image.NewGray(r))[:60], matio.ErrFormat, "a.jpg"},
		{"a.jpg", matiotest.JPEGFile(t, image.NewGray(image.Rect(0, 0, 3, 3))), matio.ErrUnsupported, "3 x 3"},
		{"a.jpg", matiotest.Enlarged(matiotest.JPEGFile(t, image.NewGray(r))), matio.ErrFormat, "65500 x 65500 pixels"},
		{"a.jpg", matiotest.JPEGFile(t, colour), matio.ErrColour, "pixel 0, 0"},
		{"a.tif", matiotest.TIFFFile(t, image.NewGray(r))[:9], matio.ErrFormat, "a.tif"},
		{"a.tif", matiotest.TIFFFile(t, colour), matio.ErrUnsupported, "pixel 0, 0 (row, column from 0) is transparent"},
		{"a.png", good[:20], matio.ErrFormat, "has no header"},
		{"a.png", good[:50], matio.ErrFormat, "a.png"},
		{"a.png", claim("\x00\x98\x96\x80\x05\xf5\xe1\x00"), matio.ErrFormat, "100000000 x 10000000 pixels"},
		{"a.png", claim("\x52\x00\x00\x00\x00\x00\x03\x00\x00"), matio.ErrFormat, "with 0 bits"}, // rows of no bytes
		{"a.png", claimOf(matiotest.PNGFile(t, image.NewGray(image.Rect(0, 0, 3, 3))), "\x00\x00\x00\x03\x00\x00\x00\x02\x08"), matio.ErrFormat, "too much pixel data"},
		{"a.png", claim("\x00\x00\x00\x03\x00\x00\x00\x02\x20"), matio.ErrFormat, "with 32 bits"},
		{"a.png", matiotest.PNGFile(t, colour), matio.ErrUnsupported, "pixel 0, 0"},
		{"a.png", matiotest.PNGFile(t, clear), matio.ErrUnsupported, "transparent"},
	} {
		dir := matiotest.FolderOf(t, map[string][]byte{c.name: c.content, "b.pgm": ok})
		err := matiotest.ReadAll(dir, matio.Options{})
		matiotest.CheckError(t, err, c.sentinel, c.text)
	}
	matiotest.CheckError(t, matiotest.ReadAll(t.TempDir(), matio.Options{}), matio.ErrUnsupported, "with neither .npy files nor images (.pgm, .ppm, .pnm, .png")
}

// Grey images of all types are the same matrix, and with Grey those in colour are
// taken by their luma. Folders within are looked into.
func TestImageTypes(t *testing.T) {
	r := image.Rect(0, 0, 2, 3)
	grey, colour := image.NewGray(r), image.NewNRGBA(r)
	for i := range 6 {
		grey.Pix[i] = 128 // which JPEG keeps
		colour.Set(i%2, i/2, color.NRGBA{51, 102, 204, 255})
	}
	dir := matiotest.FolderOf(t, map[string][]byte{"a.png": matiotest.PNGFile(t, grey), "b.tif": matiotest.TIFFFile(t, grey)})
	within := filepath.Join(dir, "c", "d")
	must.Do(t, os.MkdirAll(within, 0o777))
	must.Do(t, os.WriteFile(filepath.Join(within, "e.jpeg"), matiotest.JPEGFile(t, grey), 0o666))
	f := matiotest.Open(t, dir, matio.Options{})
	if got := f.ColNames(); !slices.Equal(got, []string{"a.png", "b.tif", "c/d/e.jpeg"}) || len(f.Notes()) != 1 {
		t.Errorf("names %q, notes %q", got, f.Notes())
	}
	_, _, data, err := matio.Dense[float64](f)
	if err != nil || slices.ContainsFunc(data, func(x float64) bool { return x != 128.0/255 }) || len(data) != 18 {
		t.Errorf("%v, %v", data, err)
	}
	f = matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.png": matiotest.PNGFile(t, colour), "b.tiff": matiotest.TIFFFile(t, colour)}), matio.Options{Grey: true})
	_, _, data, err = matio.Dense[float64](f)
	const luma = (0.299*51 + 0.587*102 + 0.114*204) / 255
	if err != nil || slices.ContainsFunc(data, func(x float64) bool { return math.Abs(x-luma) > 1e-15 }) || len(data) != 12 {
		t.Errorf("%v, %v, want %v", data, err, luma)
	}
}

// PPM images are those of the same colours; bytes after the pixels are left out, and said,
// but for space.
func TestNetpbm(t *testing.T) {
	for _, c := range []struct {
		name, content string
		grey          bool
		want          []float64
		note          string
	}{
		{"a.pgm", "P5 2 1 255\n\x33\xff" + "\x00 trailing", false, []float64{0.2, 1}, "the bytes after the pixels of 1 of 1 images are left out (first: a.pgm, 10 bytes)"},
		{"a.pgm", "P5 2 1 255\n\x33\xff\n", false, []float64{0.2, 1}, ""},
		{"a.pgm", "P5 2 1 65535\n\x33\x33\xff\xffx", false, []float64{0.2, 1}, "a.pgm, 1 bytes"},
		{"a.ppm", "P6 2 1 255\n\x33\x33\x33\xff\xff\xffx", false, []float64{0.2, 1}, "a.ppm, 1 bytes"},
		{"a.pnm", "P3 2 1 5\n1 1 1 5 5 5", false, []float64{0.2, 1}, ""},
		{"a.ppm", "P6 1 2 255\n\x33\x66\xcc\x00\x00\x00", true, []float64{(0.299*51 + 0.587*102 + 0.114*204) / 255, 0}, ""},
		{"a.ppm", "P3 1 1 65535\n13107 26214 52428", true, []float64{(0.299*51 + 0.587*102 + 0.114*204) / 255}, ""},
	} {
		f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{c.name: []byte(c.content)}), matio.Options{Grey: c.grey})
		_, _, data, err := matio.Dense[float64](f)
		if err != nil || !slices.EqualFunc(data, c.want, func(x, y float64) bool { return math.Abs(x-y) < 1e-15 }) {
			t.Errorf("%q: %v, %v, want %v", c.content, data, err, c.want)
		}
		if notes := strings.Join(f.Notes(), ";"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%q: notes %q, want %q", c.content, notes, c.note)
		}
	}
}

func TestImageNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"img10.pgm", "img2.pgm"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("P2 1 1 1\n1"), 0o666))
	}
	must.EqualSlices(t, matiotest.Open(t, dir, matio.Options{}).ColNames(), []string{"img2.pgm", "img10.pgm"}, "names")
}
