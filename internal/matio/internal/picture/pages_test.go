package picture_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// directoryOf returns where the first directory of a TIFF file is and its length, without the
// offset of the next one.
func directoryOf(file []byte) (at, n int) {
	at = int(binary.LittleEndian.Uint32(file[4:]))
	return at, 2 + 12*int(binary.LittleEndian.Uint16(file[at:]))
}

// setNext sets which directory follows the one at byte at, of n bytes.
func setNext(file []byte, at, n int, next uint32) { binary.LittleEndian.PutUint32(file[at+n:], next) }

// pagesOf returns a TIFF file of pages that are 2 x 3 pixels of one value each. The pages share
// nothing but the header.
func pagesOf(t *testing.T, values ...uint8) []byte {
	t.Helper()
	var all []byte
	last, bytesOfLast := 0, 0
	for _, v := range values {
		im := image.NewGray(image.Rect(0, 0, 3, 2))
		for k := range im.Pix {
			im.Pix[k] = v
		}
		one := matiotest.TIFFFile(t, im)
		if all == nil {
			all = one
			last, bytesOfLast = directoryOf(one)
			continue
		}
		// The offsets within the further page move by the bytes before it.
		shift := len(all) - 8
		at, n := directoryOf(one)
		for e := one[at+2 : at+n]; len(e) > 0; e = e[12:] {
			size := map[uint16]uint32{1: 1, 3: 2, 4: 4, 5: 8}[binary.LittleEndian.Uint16(e[2:])] * binary.LittleEndian.Uint32(e[4:])
			if tag := binary.LittleEndian.Uint16(e); size > 4 || tag == 273 {
				binary.LittleEndian.PutUint32(e[8:], binary.LittleEndian.Uint32(e[8:])+uint32(shift))
			}
		}
		all = append(all, one[8:]...)
		setNext(all, last, bytesOfLast, uint32(at+shift))
		last, bytesOfLast = at+shift, n
	}
	return all
}

// columnsOf returns the value of each column, whose numbers must all be the same.
func columnsOf(t *testing.T, f *matio.File) []int {
	t.Helper()
	rows, cols, data := must.Three(matio.Dense[float64](f))(t)
	var values []int
	for j := range cols {
		for i := range rows {
			must.Equal(t, data[i*cols+j], data[j], "column", j, "has several values")
		}
		values = append(values, int(255*data[j]+0.5))
	}
	return values
}

// TestTIFFPages: the pages of a TIFF file are columns in their order, in a folder among other
// images and as a file of its own.
func TestTIFFPages(t *testing.T) {
	movie := pagesOf(t, 10, 20, 30, 40)
	one := matiotest.TIFFFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"b.tif": movie, "c.tif": one, "a.tif": pagesOf(t, 1, 2)}), matio.Options{})
	must.EqualSlices(t, columnsOf(t, f), []int{1, 2, 10, 20, 30, 40, 0}, "columns")
	must.EqualSlices(t, f.ColNames(), []string{"a.tif page 1", "a.tif page 2", "b.tif page 1", "b.tif page 2", "b.tif page 3", "b.tif page 4", "c.tif"}, "names")
	path := matiotest.Write(t, "movie.tif", movie)
	f = matiotest.Open(t, path, matio.Options{})
	if got := columnsOf(t, f); !slices.Equal(got, []int{10, 20, 30, 40}) || f.ColNames()[3] != "page 4" {
		t.Errorf("columns %v, names %q", got, f.ColNames())
	}
	if h, w, ok := f.ImageSize(); h != 2 || w != 3 || !ok {
		t.Errorf("images of %d x %d", h, w)
	}
	s := must.Get(matio.OpenStream(bytes.NewReader(movie), "standard input", matio.Options{}))(t)
	defer s.Close()
	must.EqualSlices(t, columnsOf(t, s), []int{10, 20, 30, 40}, "columns")
	matiotest.WantError(t, matiotest.Write(t, "one.tif", one), matio.Options{}, matio.ErrUnsupported, "one image; give the folder of images")
	matiotest.WantError(t, path, matio.Options{Var: "a"}, matio.ErrVar, `variable "a"`)
}

// TestTIFFCopies: smaller copies and masks of an image are no pages. A note says so.
func TestTIFFCopies(t *testing.T) {
	movie := pagesOf(t, 10, 20, 30)
	at, n := directoryOf(movie)
	second := int(binary.LittleEndian.Uint32(movie[at+n:]))
	for _, c := range []struct {
		tag, value uint16
		left       bool
	}{{254, 1, true}, {254, 4, true}, {254, 2, false}, {255, 2, true}, {255, 3, false}} {
		// The second directory with the tag more, at the end.
		file := bytes.Clone(movie)
		entry := []byte{byte(c.tag), byte(c.tag >> 8), 3, 0, 1, 0, 0, 0, byte(c.value), 0, 0, 0}
		count := binary.LittleEndian.Uint16(file[second:])
		directory := binary.LittleEndian.AppendUint16(nil, count+1)
		directory = append(append(directory, entry...), file[second+2:second+2+12*int(count)+4]...)
		setNext(file, at, n, uint32(len(file)))
		file = append(file, directory...)
		f := matiotest.Open(t, matiotest.Write(t, "a.tif", file), matio.Options{})
		want := []int{10, 20, 30}
		if c.left {
			want = []int{10, 30}
		}
		must.EqualSlices(t, columnsOf(t, f), want, "tag", c.tag, "with", c.value, "columns")
		must.Equal(t, strings.Contains(strings.Join(f.Notes(), ";"), "1 TIFF pages that are smaller copies or masks of others are left out"), c.left, "tag", c.tag, "with", c.value, "notes", f.Notes())
	}
}

// TestTIFFPagesDamaged: directories in a circle, beside the file or over one another end.
func TestTIFFPagesDamaged(t *testing.T) {
	movie := pagesOf(t, 10, 20)
	at, n := directoryOf(movie)
	second := int(binary.LittleEndian.Uint32(movie[at+n:]))
	for next, says := range map[uint32]string{uint32(at): "in a circle", uint32(second): "in a circle", uint32(len(movie)) + 1: "too early", 1<<32 - 1: "too early"} {
		file := bytes.Clone(movie)
		setNext(file, second, n, next)
		matiotest.WantError(t, matiotest.FolderOf(t, map[string][]byte{"a.tif": file}), matio.Options{}, matio.ErrFormat, says)
	}
	// Directories of one byte after the other, each of which claims most of the file.
	file := slices.Concat(movie, bytes.Repeat([]byte{0xff, 0x3f}, 1<<18))
	setNext(file, second, n, uint32(len(movie)))
	if err := matiotest.ReadAll(matiotest.Write(t, "a.tif", file), matio.Options{}); err == nil {
		t.Error("overlapping directories are read")
	}
	// Pages of several sizes are no matrix.
	file = bytes.Clone(movie)
	for e := file[second+2:]; ; e = e[12:] {
		if binary.LittleEndian.Uint16(e) == 257 {
			e[8] = 1
			break
		}
	}
	matiotest.WantError(t, matiotest.Write(t, "a.tif", file), matio.Options{}, matio.ErrUnsupported, "page 2 is 1 x 3 pixels, but page 1 is 2 x 3: all images must have one size")
}

// TestTIFFStacks: several images in one directory are not taken for one.
func TestTIFFStacks(t *testing.T) {
	one := matiotest.TIFFFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	described := func(file []byte, text string) []byte {
		b := withTag(file, 270, 0)
		at, n := directoryOf(b)
		for e := b[at+2 : at+n]; ; e = e[12:] {
			if binary.LittleEndian.Uint16(e) == 270 {
				binary.LittleEndian.PutUint16(e[2:], 2)
				binary.LittleEndian.PutUint32(e[4:], uint32(len(text)))
				binary.LittleEndian.PutUint32(e[8:], uint32(len(b)))
				return append(b, text...)
			}
		}
	}
	// The descriptions are those of ImageJ and of tifffile 2023.2.3 with truncate=True.
	for _, text := range []string{"ImageJ=1.53t\nimages=4\nslices=4\n", `{"truncated": true, "shape": [4, 2, 3]}`} {
		matiotest.WantError(t, matiotest.FolderOf(t, map[string][]byte{"a.tif": described(one, text)}), matio.Options{}, matio.ErrUnsupported, "several images in one directory")
	}
	must.Equal(t, matiotest.ReadAll(matiotest.FolderOf(t, map[string][]byte{"a.tif": described(one, "ImageJ=1.53t\nimages=1\n"), "b.tif": described(one, `{"shape": [2, 3]}`)}), matio.Options{}), nil)
	matiotest.WantError(t, matiotest.FolderOf(t, map[string][]byte{"a.tif": withTag(one, 32997, 4)}), matio.Options{}, matio.ErrUnsupported, "4 slices")
	f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.tif": withTag(one, 42113, 0)}), matio.Options{})
	if len(f.Notes()) != 1 || !strings.Contains(f.Notes()[0], "GDAL_NODATA") {
		t.Errorf("notes %q", f.Notes())
	}
}

// TestAnimations: the frames of an animated PNG image are not lost silently.
func TestAnimations(t *testing.T) {
	png := matiotest.PNGFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	frames := func(n byte) []byte { return withChunk(png, 33, "acTL", []byte{0, 0, 0, n, 0, 0, 0, 0}) }
	matiotest.WantError(t, matiotest.FolderOf(t, map[string][]byte{"a.png": frames(2)}), matio.Options{}, matio.ErrUnsupported, "an animation of 2 frames: write each frame into a file of its own")
	must.Equal(t, matiotest.ReadAll(matiotest.FolderOf(t, map[string][]byte{"a.png": frames(1)}), matio.Options{}), nil)
}

// TestOtherImages: an image of a type that is not read is not left out silently.
func TestOtherImages(t *testing.T) {
	png := matiotest.PNGFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	for _, name := range []string{"b.gif", "b.heic", "b.jp2", "b.pam", "b.DCM"} {
		matiotest.WantError(t, matiotest.FolderOf(t, map[string][]byte{"a.png": png, name: []byte("any")}), matio.Options{}, matio.ErrUnsupported, "image "+name+": convert it to .png")
	}
	f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.png": png, "b.jfif": matiotest.JPEGFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))}), matio.Options{})
	must.Equal(t, len(columnsOf(t, f)), 2, "columns")
}

// TestFurtherImages: images beside the one that is read are said. What a camera or a program has put behind an
// image is no image.
func TestFurtherImages(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	jpeg := matiotest.JPEGFile(t, grey)
	mpf := append(append(bytes.Clone(jpeg[:2]), "\xff\xe2\x00\x0cMPF\x00II*\x00\x00\x00"...), jpeg[2:]...)
	png, tif := matiotest.PNGFile(t, grey), matiotest.TIFFFile(t, grey)
	for _, c := range []struct {
		name       string
		file, rest []byte
		further    bool
	}{
		{"a.jpg", mpf, nil, true}, {"a.tif", withTag(tif, 330, 8), nil, true}, {"a.png", png, png, true},
		{"a.jpg", jpeg, []byte("SEFH and a video"), false}, {"a.tif", tif, []byte("a trailer"), false}, {"a.png", png, []byte("a trailer"), false},
	} {
		f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{c.name: slices.Concat(c.file, c.rest)}), matio.Options{})
		want := "1 images hold further images, such as a preview, which are left out (first: " + c.name + ")"
		if slices.Contains(f.Notes(), want) != c.further || !c.further && len(f.Notes()) > 0 {
			t.Errorf("%s: notes %q", c.name, f.Notes())
		}
		must.EqualSlices(t, columnsOf(t, f), []int{0}, c.name, "with", c.rest, "behind it")
	}
}

// TestUnsupportedImages: an image of a kind that is not read is not called damaged.
func TestUnsupportedImages(t *testing.T) {
	tiff := matiotest.TIFFFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	altered := func(file []byte, tag, value uint16) []byte {
		b := bytes.Clone(file)
		at, n := directoryOf(b)
		for e := b[at+2 : at+n]; len(e) > 0; e = e[12:] {
			if binary.LittleEndian.Uint16(e) == tag {
				binary.LittleEndian.PutUint16(e[8:], value)
				return b
			}
		}
		return withTag(file, tag, value)
	}
	alter := func(tag, value uint16) []byte { return altered(tiff, tag, value) }
	planes := altered(matiotest.TIFFFile(t, image.NewNRGBA(image.Rect(0, 0, 3, 2))), 284, 2)
	for name, file := range map[string][]byte{
		"12 bits.tif": alter(258, 12), "float.tif": alter(339, 3), "signed.tif": alter(339, 2), "jpeg.tif": alter(259, 7),
		"floating predictor.tif": alter(317, 3), "cmyk.tif": alter(262, 5),
		"big.tif": []byte("II+\x00\x08\x00\x00\x00"), "a.png": []byte("RIFF\x00\x00\x00\x00WEBPVP8 "), "b.png": []byte("BM\x00\x00"), "a.pnm": []byte("P7\nWIDTH 3\n"), "b.pnm": []byte("Pf\n3 2\n"),
		"planes.tif": planes,
	} {
		err := matiotest.ReadAll(matiotest.FolderOf(t, map[string][]byte{name: file}), matio.Options{Grey: true})
		matiotest.CheckError(t, err, matio.ErrUnsupported, "convert it to .png")
		if err != nil && strings.Contains(fmt.Sprint(err), "malformed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
