package picture_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// shown is the image 10 20 30 / 40 50 60, row by row, as ImageOps.exif_transpose of Pillow 9.4
// turns it for each orientation of a PNG and of a JPEG file.
var shown = [9][][]float64{
	1: {{10, 20, 30}, {40, 50, 60}},
	2: {{30, 20, 10}, {60, 50, 40}},
	3: {{60, 50, 40}, {30, 20, 10}},
	4: {{40, 50, 60}, {10, 20, 30}},
	5: {{10, 40}, {20, 50}, {30, 60}},
	6: {{40, 10}, {50, 20}, {60, 30}},
	7: {{60, 30}, {50, 20}, {40, 10}},
	8: {{30, 60}, {20, 50}, {10, 40}},
}

// exif returns EXIF data that hold an orientation.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 274)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	return append(b, 0, 0, 0, 0, 0, 0)
}

// withEXIF adds EXIF data to a JPEG file as its first segment.
func withEXIF(file, exif []byte) []byte {
	segment := append([]byte("\xff\xe1\x00\x00Exif\x00\x00"), exif...)
	binary.BigEndian.PutUint16(segment[2:], uint16(len(segment)-2))
	return append(append(bytes.Clone(file[:2]), segment...), file[2:]...)
}

// withChunk adds a chunk to a PNG file behind byte at.
func withChunk(file []byte, at int, kind string, data []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return append(append(bytes.Clone(file[:at]), chunk...), file[at:]...)
}

// withTag adds a tag of one 16-bit number to a TIFF file whose only directory is at its end, as
// that of package tiff. The directory stays in order if the tag is larger than all others.
func withTag(file []byte, tag, value uint16) []byte {
	b := bytes.Clone(file)
	at := int(binary.LittleEndian.Uint32(b[4:]))
	n := int(binary.LittleEndian.Uint16(b[at:]))
	directory := bytes.Clone(b[at : at+2+12*n])
	binary.LittleEndian.PutUint16(directory, uint16(n+1))
	entry := binary.LittleEndian.AppendUint16(nil, tag)
	entry = append(entry, 3, 0, 1, 0, 0, 0)
	entry = append(binary.LittleEndian.AppendUint16(entry, value), 0, 0)
	place := 2
	for place < len(directory) && binary.LittleEndian.Uint16(directory[place:]) < tag {
		place += 12
	}
	directory = append(append(bytes.Clone(directory[:place]), entry...), directory[place:]...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	return append(append(b, directory...), 0, 0, 0, 0)
}

// TestOrientation: an image is read as it is shown, by the orientation in its EXIF data or in
// its TIFF tag. A note says so.
func TestOrientation(t *testing.T) {
	const large = 8 // JPEG keeps blocks of 8 x 8 equal pixels
	grey, blocks := image.NewGray(image.Rect(0, 0, 3, 2)), image.NewGray(image.Rect(0, 0, 3*large, 2*large))
	for y := range 2 * large {
		for x := range 3 * large {
			c := color.Gray{uint8(shown[1][y/large][x/large])}
			blocks.Set(x, y, c)
			grey.Set(x/large, y/large, c)
		}
	}
	png, tiff, jpeg := matiotest.PNGFile(t, grey), matiotest.TIFFFile(t, grey), matiotest.JPEGFile(t, blocks)
	end := len(png) - 12 // where IEND begins
	for o := uint16(1); o <= 8; o++ {
		for name, file := range map[string][]byte{
			"a.png":    withChunk(png, 33, "eXIf", exif(binary.LittleEndian, o)),
			"late.png": withChunk(png, end, "eXIf", exif(binary.BigEndian, o)),
			"a.jpg":    withEXIF(jpeg, exif(binary.BigEndian, o)),
			"a.jpeg":   withEXIF(jpeg, exif(binary.LittleEndian, o)),
			"a.tif":    withTag(tiff, 274, o),
		} {
			f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{name: file}), matio.Options{})
			scale := 1
			if strings.HasPrefix(name, "a.j") {
				scale = large
			}
			want := shown[o]
			h, w, _ := f.ImageSize()
			if h != scale*len(want) || w != scale*len(want[0]) {
				t.Fatalf("%s, orientation %d: %d x %d pixels", name, o, h, w)
			}
			_, _, data := must.Three(matio.Dense[float64](f))(t)
			for y := range h {
				for x := range w {
					if got := 255 * data[x*h+y]; math.Abs(got-want[y/scale][x/scale]) > 1 {
						t.Errorf("%s, orientation %d, row %d, column %d: %v, want %v", name, o, y, x, got, want[y/scale][x/scale])
					}
				}
			}
			notes := strings.Join(f.Notes(), "; ")
			must.Equal(t, strings.Contains(notes, "1 of 1 images are turned upright by their EXIF orientation (first: "+name+")"), o > 1, name, "orientation", o, "notes", notes)
		}
	}
}

// TestNoOrientation: what is no orientation leaves an image as it is stored.
func TestNoOrientation(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 3, 2))
	grey.Pix[0] = 255
	png := matiotest.PNGFile(t, grey)
	whole := exif(binary.LittleEndian, 6)
	for what, data := range map[string][]byte{
		"0": exif(binary.LittleEndian, 0), "9": exif(binary.LittleEndian, 9), "too short": whole[:12], "empty": {}, "no TIFF": []byte("orientation 6"),
		"no directory": []byte("II*\x00\xff\xff\xff\xff"),
	} {
		f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.png": withChunk(png, 33, "eXIf", data)}), matio.Options{})
		if h, w, _ := f.ImageSize(); h != 2 || w != 3 || len(f.Notes()) != 0 {
			t.Errorf("%s: %d x %d, notes %q", what, h, w, f.Notes())
		}
	}
}

// TestOrientationSizes: images are compared as they are shown.
func TestOrientationSizes(t *testing.T) {
	tall, wide := matiotest.PNGFile(t, image.NewGray(image.Rect(0, 0, 2, 3))), matiotest.PNGFile(t, image.NewGray(image.Rect(0, 0, 3, 2)))
	turned := withChunk(wide, 33, "eXIf", exif(binary.LittleEndian, 6))
	f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.png": tall, "b.png": turned}), matio.Options{})
	must.Equal(t, fmt.Sprint(f.Dims()), "6 2", "size")
	matiotest.WantError(t, matiotest.FolderOf(t, map[string][]byte{"a.png": wide, "b.png": turned}), matio.Options{}, matio.ErrUnsupported, "b.png is 3 x 2 pixels, but a.png is 2 x 3")
}
