package picture

import (
	"bytes"
	"encoding/binary"
	"io"
)

// tiffOrientation is the tag of the orientation, in a TIFF image and in the EXIF data of others.
const tiffOrientation = 274

// upright is the orientation of an image whose first row is the top and whose first column is
// the left. The other orientations are those of EXIF: 2 to 8.
const upright = 1

// turn sets the orientation and the size that the image has when it is shown.
func (im *imageFile) turn(orientation int64) {
	if orientation <= upright || orientation > 8 {
		return
	}
	im.orientation = int(orientation)
	if orientation > 4 {
		im.h, im.w = im.w, im.h
	}
}

// stored returns where the file has the pixel that is shown in row y and column x, as
// ImageOps.exif_transpose of Pillow.
func (im *imageFile) stored(y, x int) (int, int) {
	turn := max(im.orientation, upright) - 1
	if turn&3 == 1 || turn&3 == 2 {
		x = im.w - 1 - x
	}
	if turn&2 != 0 {
		y = im.h - 1 - y
	}
	if turn > 3 {
		return x, y
	}
	return y, x
}

// exifOrientation returns the orientation in EXIF data, or 0 if there is none. EXIF data are a
// TIFF file without an image.
func exifOrientation(exif []byte) int64 {
	exif = bytes.TrimPrefix(exif, exifMagic)
	d, err := tiffDirectoryAt(bytes.NewReader(exif), 0)
	if err != nil {
		return 0
	}
	return d.one(tiffOrientation, 0)
}

// jpegMetadata looks for the orientation of a JPEG image, and for further images (MPF), in the
// segments before the pixels. It stops at what is no segment: the decoder says what is wrong.
func (im *imageFile) jpegMetadata() {
	const startOfScan, endOfImage, app1, app2 = 0xda, 0xd9, 0xe1, 0xe2
	exif := []byte(nil)
	im.r.Discard(2)
	for {
		var head [4]byte
		if _, err := io.ReadFull(im.r, head[:2]); err != nil || head[0] != 0xff || head[1] == startOfScan || head[1] == endOfImage {
			break
		}
		if head[1] == 0xff { // a byte that fills, before a marker
			im.r.UnreadByte()
			continue
		}
		if _, err := io.ReadFull(im.r, head[2:]); err != nil {
			break
		}
		segment := make([]byte, max(2, int(binary.BigEndian.Uint16(head[2:])))-2)
		if _, err := io.ReadFull(im.r, segment); err != nil {
			break
		}
		switch {
		case head[1] == app1 && exif == nil && bytes.HasPrefix(segment, exifMagic):
			exif = segment
		case head[1] == app2 && bytes.HasPrefix(segment, []byte("MPF\x00")):
			im.others = true
		}
	}
	im.turn(exifOrientation(exif))
}

// exifMagic begins EXIF data in a JPEG image.
var exifMagic = []byte("Exif\x00\x00")

// pngMetadata looks for the orientation and the gamma of a PNG image, and for a further image behind it. It
// refuses animations.
func (im *imageFile) pngMetadata() error {
	const mostEXIF = 1 << 16
	const usualGamma, near = 45455, 1000 // in units of 1e-5: 1/2.2, about that of sRGB
	exif := []byte(nil)
	for at := int64(len(pngMagic)); ; {
		var head [12]byte // length, type, and the beginning of the data
		kind := "IEND"    // also of a file that ends too early, which the decoder reports
		if readFull(im.file, head[:], at) == nil {
			kind = string(head[4:8])
		}
		size := int64(binary.BigEndian.Uint32(head[:]))
		switch kind {
		case "acTL": // of APNG: the number of frames
			if frames := binary.BigEndian.Uint32(head[8:]); size >= 4 && frames > 1 {
				return im.f.Unsupported("an animation of %d frames: write each frame into a file of its own", frames)
			}
		case "gAMA":
			gamma := int64(binary.BigEndian.Uint32(head[8:]))
			im.gamma = size == 4 && gamma > 0 && max(gamma-usualGamma, usualGamma-gamma) > near
		case "eXIf":
			if exif == nil {
				exif = make([]byte, min(size, mostEXIF))
				readFull(im.file, exif, at+8)
			}
		case "IEND":
			im.turn(exifOrientation(exif))
			next := make([]byte, len(pngMagic))
			im.others = readFull(im.file, next, at+12) == nil && IsPNG(next)
			return nil
		}
		at += 12 + size
	}
}
