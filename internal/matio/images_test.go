package matio

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/image/tiff"

	"nmu/internal/matio/internal/input"
)

// folder writes files into a folder.
func folderOf(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pngFile(t testing.TB, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

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
		"img4.PNG":    pngFile(t, paint(image.NewGray(r), grey...)),
		"img5.png":    pngFile(t, paint(image.NewGray16(r), grey...)),
		"img6.png":    pngFile(t, paint(image.NewNRGBA(r), grey...)),
		"img7.png":    pngFile(t, paint(image.NewNRGBA64(r), grey...)),
		"img8.png":    pngFile(t, paint(image.NewPaletted(r, color.Palette{color.Gray{0}, color.Gray{0x33}, color.Gray{0x66}, color.Gray{0x99}, color.Gray{0xcc}, color.Gray{0xff}}), grey...)),
		"img9.pgm":    pngFile(t, paint(image.NewGray(r), grey...)), // the name lies
		"img10.pgm":   []byte("P5 3 2 5\n\x05\x00\x00\x00\x00\x00"),
		"README":      []byte("not an image"),
		".hidden.png": nil,
	}
	dir := folderOf(t, files)
	if err := os.Mkdir(filepath.Join(dir, "sub.png"), 0o777); err != nil {
		t.Fatal(err)
	}
	// Pixels column by column.
	image := []float64{0, 0.6, 0.2, 0.8, 0.4, 1}
	want := matrix{10, 6, nil}
	for range 9 {
		want.data = append(want.data, image...)
	}
	want.data = append(want.data, 1, 0, 0, 0, 0, 0)
	wantDense(t, dir, "", want.transpose())
	f := open(t, dir, Options{})
	if h, w, ok := f.ImageSize(); h != 2 || w != 3 || !ok {
		t.Errorf("ImageSize() = %d, %d, %v", h, w, ok)
	}
	if h, w, ok := open(t, dir, Options{Transpose: true}).ImageSize(); h != 0 || w != 0 || ok {
		t.Errorf("ImageSize() = %d, %d, %v of a transposed matrix", h, w, ok)
	}
}

func TestNatural(t *testing.T) {
	want := []string{"", "1a", "2", "02", "10", "a", "a1", "a01", "a1b", "a2", "a10b2", "a10b10", "b", "b99999999999999999999", "b100000000000000000000"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, input.Natural)
	// Equal values are ordered byte by byte: "02" before "2".
	want[2], want[3] = want[3], want[2]
	want[6], want[7] = want[7], want[6]
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestImageErrors(t *testing.T) {
	ok := []byte("P5 3 2 255\n\x00\x33\x66\x99\xcc\xff")
	r := image.Rect(0, 0, 3, 2)
	colour := image.NewNRGBA(r)
	colour.Set(1, 1, color.NRGBA{1, 2, 3, 255})
	clear := image.NewNRGBA(r)
	good := pngFile(t, image.NewGray(r))
	claim := func(sizeAndDepth string) []byte { // in a header that is sound else
		b := bytes.Clone(good)
		copy(b[16:], sizeAndDepth)
		binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
		return b
	}
	for _, c := range []struct {
		name     string
		content  []byte
		sentinel error
		text     string
	}{
		{"a.pgm", []byte("P5 2 3 255\n\x00\x33\x66\x99\xcc\xff"), ErrFormat, "b.pgm is 2 x 3 pixels, but a.pgm is 3 x 2"},
		{"a.pgm", ok[:len(ok)-1], ErrFormat, "too few"},
		{"a.pgm", append(bytes.Clone(ok), 'x'), ErrFormat, "data follow"},
		{"a.pgm", []byte("P5 3 2 "), ErrFormat, "too early"},
		{"a.pgm", []byte("P5 3 x 255\n"), ErrFormat, "decimal"},
		{"a.pgm", []byte("P5 3 0 255\n"), ErrFormat, "0 x 3"},
		{"a.pgm", []byte("P5 3 2 0\n123456"), ErrFormat, "largest value 0"},
		{"a.pgm", []byte("P5 3 2 65536\n123456123456"), ErrFormat, "largest value 65536"},
		{"a.pgm", []byte("P5 3 2 65535\n123456"), ErrFormat, "too few"},
		{"a.pgm", []byte("P5 3 2 50\n123456"), ErrFormat, "value 51"},
		{"a.pgm", []byte("P5 9999999999 9999999999 255\n123456"), ErrFormat, "too few"},
		{"a.pgm", []byte("P5 99999999999 1 255\n123456"), ErrFormat, "ten digits"},
		{"a.pgm", []byte("P2 10000000 100000000 255\n1 2 3"), ErrFormat, "too few"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 4 5 6"), ErrFormat, "value 6"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 44444 5"), ErrFormat, "value 44444"},
		{"a.pgm", []byte("P2 3 2 5\n1 2 3 4 5      "), ErrFormat, "too early"},
		{"a.pgm", []byte("P6 1 2 255\n123456"), ErrUnsupported, "colour"},
		{"a.pgm", []byte("P4 3 2\n12"), ErrUnsupported, "bitmap"},
		{"a.pgm", []byte("GIF89a"), ErrFormat, "none of the images"},
		{"a.pgm", nil, ErrFormat, "none of the images"},
		{"a.gif", nil, ErrUnsupported, "a.gif"},
		{"a.jpg", nil, ErrFormat, "a.jpg"},
		{"a.jpg", jpegFile(t, image.NewGray(r))[:60], ErrFormat, "a.jpg"},
		{"a.jpg", jpegFile(t, image.NewGray(image.Rect(0, 0, 3, 3))), ErrFormat, "3 x 3"},
		{"a.jpg", enlarged(jpegFile(t, image.NewGray(r))), ErrFormat, "65500 x 65500 pixels"},
		{"a.jpg", jpegFile(t, colour), ErrColour, "pixel 0, 0"},
		{"a.tif", tiffFile(t, image.NewGray(r))[:9], ErrFormat, "a.tif"},
		{"a.tif", tiffFile(t, colour), ErrUnsupported, "pixel 0, 0 (row, column from 0) is transparent"},
		{"a.png", good[:20], ErrFormat, "without header"},
		{"a.png", good[:50], ErrFormat, "a.png"},
		{"a.png", claim("\x00\x98\x96\x80\x05\xf5\xe1\x00"), ErrFormat, "100000000 x 10000000 pixels"},
		{"a.png", claim("\x52\x00\x00\x00\x00\x00\x03\x00\x00"), ErrFormat, "with 0 bits"}, // rows of no bytes
		{"a.png", claim("\x00\x00\x00\x03\x00\x00\x00\x02\x20"), ErrFormat, "with 32 bits"},
		{"a.png", pngFile(t, colour), ErrUnsupported, "pixel 0, 0"},
		{"a.png", pngFile(t, clear), ErrUnsupported, "transparent"},
	} {
		dir := folderOf(t, map[string][]byte{c.name: c.content, "b.pgm": ok})
		err := readAll(dir, Options{})
		checkError(t, err, c.sentinel, c.text)
	}
	checkError(t, readAll(t.TempDir(), Options{}), ErrFormat, "no image of type .pgm, .png")
}

// jpegFile and tiffFile encode an image.
func jpegFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func tiffFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := tiff.Encode(&buf, m, &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// enlarged returns a JPEG file whose frame claims to be as large as it can be.
func enlarged(file []byte) []byte {
	at := bytes.Index(file, []byte("\xff\xc0"))
	binary.BigEndian.PutUint16(file[at+5:], 65500)
	binary.BigEndian.PutUint16(file[at+7:], 65500)
	return file
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
	dir := folderOf(t, map[string][]byte{"a.png": pngFile(t, grey), "b.tif": tiffFile(t, grey)})
	within := filepath.Join(dir, "c", "d")
	if err := os.MkdirAll(within, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(within, "e.jpeg"), jpegFile(t, grey), 0o666); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, Options{})
	if got := f.ColNames(); !slices.Equal(got, []string{"a.png", "b.tif", "c/d/e.jpeg"}) || len(f.Notes()) != 1 {
		t.Errorf("names %q, notes %q", got, f.Notes())
	}
	_, _, data, err := Dense[float64](f)
	if err != nil || slices.ContainsFunc(data, func(x float64) bool { return x != 128.0/255 }) || len(data) != 18 {
		t.Errorf("%v, %v", data, err)
	}
	f = open(t, folderOf(t, map[string][]byte{"a.png": pngFile(t, colour), "b.tiff": tiffFile(t, colour)}), Options{Grey: true})
	_, _, data, err = Dense[float64](f)
	const luma = (0.299*51 + 0.587*102 + 0.114*204) / 255
	if err != nil || slices.ContainsFunc(data, func(x float64) bool { return math.Abs(x-luma) > 1e-15 }) || len(data) != 12 {
		t.Errorf("%v, %v, want %v", data, err, luma)
	}
}

func TestImageNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"img10.pgm", "img2.pgm"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("P2 1 1 1\n1"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := open(t, dir, Options{}).ColNames(); !slices.Equal(got, []string{"img2.pgm", "img10.pgm"}) {
		t.Errorf("names %q", got)
	}
}
