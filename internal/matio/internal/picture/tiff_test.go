package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"nmu/internal/matio"
	"nmu/internal/matio/internal/picture"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// The pictures of testdata/tiff/make.py, of 23 x 37 pixels.
func tiffPicture(name string, y, x int) float64 {
	if strings.HasPrefix(name, "grey") {
		return float64((37*y+11*x)%256) / 255
	}
	if (x*x+3*y)%8 == 0 {
		return 1
	}
	return 0
}

// TestTIFFCompressions reads the same two pictures in every compression and with both
// meanings of zero. A file that is not read must be refused as one of its kind.
func TestTIFFCompressions(t *testing.T) {
	files, err := filepath.Glob("testdata/tiff/*.tif")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d pictures, %v", len(files), err)
	}
	refused := map[string]bool{
		"bilevel-tiff_ccitt.tif": true, "bilevel-tiff_ccitt-white-is-zero.tif": true,
		"bilevel-group3-two-dimensional.tif": true, "bilevel-group3-aligned.tif": true, "bilevel-packbits-reversed.tif": true,
	}
	for _, file := range files {
		name := filepath.Base(file)
		content := must.Get(os.ReadFile(file))(t)
		f, err := matio.Open(matiotest.FolderOf(t, map[string][]byte{name: content}), matio.Options{})
		var data []float64
		if err == nil {
			defer f.Close()
			_, _, data, err = matio.Dense[float64](f)
		}
		switch {
		case refused[name]:
			must.Fail(t, err, matio.ErrUnsupported, "", name)
			continue
		case err != nil:
			t.Errorf("%s: %v", name, err)
			continue
		case len(data) != 23*37:
			t.Fatalf("%s: %d pixels", name, len(data))
		}
		wrong := 0
		for at, got := range data {
			if want := tiffPicture(name, at%23, at/23); got != want {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d of %d pixels are wrong", name, wrong, len(data))
		}
	}
}

// TestTIFFDamaged: a strip or a tile that decodes to more than its rows has a damaged code, and its pixels have moved.
func TestTIFFDamaged(t *testing.T) {
	damages := map[string]func(strip []byte){
		"lzw":      func(strip []byte) { strip[0], strip[1] = 0, strip[1]|0x80 },       // the first code, a literal for the clear code
		"packbits": func(strip []byte) { strip[0]++ },                                  // a longer run of literals
		"deflate":  func(strip []byte) { copy(strip, "\x78\x01\x01\xff\xff\x00\x00") }, // stored bytes
	}
	refused := 0
	files, _ := filepath.Glob("testdata/tiff/*.tif")
	for _, file := range files {
		for kind, damage := range damages {
			if !strings.Contains(file, kind) {
				continue
			}
			content, err := os.ReadFile(file)
			must.Do(t, err)
			damage(content[picture.FirstStrip(content):])
			err = matiotest.ReadAll(matiotest.FolderOf(t, map[string][]byte{"a.tif": content}), matio.Options{})
			if err == nil {
				t.Errorf("%s with a damaged strip is read", file)
			} else if strings.Contains(err.Error(), "decodes to more than the") {
				refused++
			}
		}
	}
	if refused < 2 { // the others do not decode
		t.Errorf("%d pictures are refused for too many bytes", refused)
	}
}

// TestTIFFTags: a directory that does not say what the bits mean is an error.
func TestTIFFTags(t *testing.T) {
	content := must.Get(os.ReadFile("testdata/tiff/bilevel-group4.tif"))(t)
	at := int(binary.LittleEndian.Uint32(content[4:]))
	items := int(binary.LittleEndian.Uint16(content[at:]))
	entry := func(tag uint16) []byte {
		for k := range items {
			if e := content[at+2+12*k:][:12]; binary.LittleEndian.Uint16(e) == tag {
				return e
			}
		}
		t.Fatalf("no tag %d", tag)
		return nil
	}
	type change struct {
		tag    uint16
		offset int
		to     []byte
	}
	for _, c := range []change{
		{picture.TIFFPhotometric, 8, []byte{3, 0}},  // a palette, of which there is none
		{picture.TIFFPhotometric, 2, []byte{11, 0}}, // a type of number that is none
		{picture.TIFFPhotometric, 4, []byte{0, 0, 0, 0}},
		{picture.TIFFPhotometric, 4, []byte{3, 0, 0, 0}}, // values elsewhere
		{picture.TIFFCompression, 8, []byte{99, 0}},
		{256, 8, []byte{0, 0}},
	} {
		e := entry(c.tag)
		was := bytes.Clone(e)
		copy(e[c.offset:], c.to)
		err := matiotest.ReadAll(matiotest.FolderOf(t, map[string][]byte{"a.tif": content}), matio.Options{})
		if !errors.Is(err, matio.ErrFormat) && !errors.Is(err, matio.ErrUnsupported) {
			t.Errorf("tag %d with %v: %v", c.tag, c.to, err)
		}
		copy(e, was)
	}
	must.Equal(t, matiotest.ReadAll(matiotest.FolderOf(t, map[string][]byte{"a.tif": content}), matio.Options{}), nil)
}

// TestTIFFSixteenBits: numbers of 16 bits are what they were.
func TestTIFFSixteenBits(t *testing.T) {
	im := image.NewGray16(image.Rect(0, 0, 3, 2))
	for i := range im.Pix {
		im.Pix[i] = byte(41 * i)
	}
	var buf bytes.Buffer
	must.Do(t, tiff.Encode(&buf, im, nil))
	_, _, data := must.Three(matio.Dense[float64](matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.tif": buf.Bytes()}), matio.Options{})))(t)
	for at, got := range data {
		y, x := at%2, at/2
		must.Equal(t, got, float64(im.Gray16At(x, y).Y)/0xffff, "pixel", y, x)
	}
}
