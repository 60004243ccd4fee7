package picture

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/tiff"

	"nmu/internal/matio/internal/element"
)

// Tags of a TIFF image that define the meaning of its bits.
const (
	tiffNewSubfileType = 254
	tiffSubfileType    = 255
	tiffImageWidth     = 256
	tiffImageLength    = 257
	tiffBitsPerSample  = 258
	tiffCompression    = 259
	tiffPhotometric    = 262
	tiffFillOrder      = 266
	tiffDescription    = 270
	tiffPlanar         = 284
	tiffT4Options      = 292
	tiffPredictor      = 317
	tiffSubIFDs        = 330
	tiffExtraSamples   = 338
	tiffImageDepth     = 32997 // of SGI: slices of a volume
	tiffNoData         = 42113 // of GDAL: the value of pixels without data
)

// Values of these tags.
const (
	whiteIsZero, blackIsZero = 0, 1 // photometric
	rgb                      = 2
	rle, group3, group4      = 2, 3, 4 // compression, of CCITT
	leastBitFirst            = 2       // fill order
	planes                   = 2       // planar configuration: one sample after the other
	horizontal               = 2       // predictor: the difference to the pixel on the left
	reduced, mask            = 1, 4    // bits of the new subfile type: a smaller copy, a mask
	reducedOld               = 2       // subfile type: a smaller copy
)

// IsTIFF says whether head begins a TIFF image.
func IsTIFF(head []byte) bool {
	return len(head) >= 4 && (string(head[:4]) == "II*\x00" || string(head[:4]) == "MM\x00*")
}

// page is a TIFF file whose first directory is another one of its directories, for a decoder
// that reads the first.
type page struct {
	io.ReaderAt
	pos int64
	at  [4]byte // the offset of the directory, in the byte order of the file
}

// ReadAt implements io.ReaderAt.
func (p *page) ReadAt(b []byte, off int64) (int, error) {
	n, err := p.ReaderAt.ReadAt(b, off)
	for i := range p.at {
		if k := int64(4+i) - off; k >= 0 && k < int64(n) {
			b[k] = p.at[i]
		}
	}
	return n, err
}

// Read implements io.Reader. The decoder prefers ReadAt.
func (p *page) Read(b []byte) (int, error) {
	n, err := p.ReadAt(b, p.pos)
	p.pos += int64(n)
	return n, err
}

// tiffHeader reads the header of a TIFF image, the page whose directory is at byte directory,
// or the first if that is 0. It refuses images that the decoder misreads, and corrects those
// that the decoder inverts.
func (im *imageFile) tiffHeader(directory int64) error {
	d, err := tiffDirectoryAt(im.file, directory)
	if err != nil {
		return im.f.ReadError(directory, err)
	}
	im.page = &page{ReaderAt: im.file}
	d.order.PutUint32(im.page.at[:], uint32(d.at))
	im.directory = d
	if d.one(tiffPhotometric, 0) == rgb && d.count(tiffBitsPerSample) > 3 && d.one(tiffExtraSamples, 0) == 0 {
		return im.f.Unsupported("a TIFF image with samples beside red, green and blue: convert it to .png")
	}
	h, w := d.one(tiffImageLength, 0), d.one(tiffImageWidth, 0)
	// The decoder takes 8 bytes for each pixel, and calls an image malformed that has too many of them.
	if n, ok := element.Mul(8*h, w); !ok || int64(int(n)) != n {
		return im.f.TooLarge("an image of %d x %d pixels", h, w)
	}
	if err := im.header(im.page, tiff.DecodeConfig, tiffPixels); err != nil {
		return err
	}
	tag := map[uint16]int64{}
	for _, t := range []uint16{tiffNewSubfileType, tiffSubfileType, tiffCompression, tiffPhotometric, tiffFillOrder, tiffPlanar, tiffT4Options, tiffPredictor} {
		if d.entry(t) == nil {
			continue
		}
		if tag[t] = d.one(t, -1); tag[t] < 0 {
			return im.f.Bad(d.at, "TIFF tag %d has %d values: want 1", t, d.count(t))
		}
	}
	switch fax := tag[tiffCompression]; {
	case fax == rle:
		return im.f.Unsupported("a TIFF image with the compression CCITT RLE: convert it to .png")
	case fax == group3 || fax == group4:
		if tag[tiffPhotometric] != whiteIsZero && tag[tiffPhotometric] != blackIsZero {
			return im.f.Bad(0, "a TIFF image with fax compression must be black and white")
		}
		if fax == group3 && tag[tiffT4Options] != 0 {
			return im.f.Unsupported("a TIFF image with the compression CCITT group 3 in two dimensions, or aligned to bytes: convert it to .png")
		}
		// The code of a fax has runs of white and of black. TIFF 6.0, section 11, reverses
		// their meaning where black is zero; the decoder does not.
		im.inverted = tag[tiffPhotometric] == blackIsZero
	case tag[tiffFillOrder] == leastBitFirst:
		return im.f.Unsupported("a TIFF image with the least significant bit first (FillOrder 2): convert it to .png")
	}
	switch {
	case tag[tiffPlanar] == planes && d.count(tiffBitsPerSample) > 1:
		return im.f.Unsupported("a TIFF image that stores its colours in planes (PlanarConfiguration 2): convert it to .png")
	case tag[tiffPredictor] > horizontal:
		return im.f.Unsupported("a TIFF image with the predictor %d: convert it to .png", tag[tiffPredictor])
	}
	im.copies = tag[tiffNewSubfileType]&(reduced|mask) != 0 || tag[tiffSubfileType] == reducedOld
	im.others = d.count(tiffSubIFDs) > 0
	im.noData = d.entry(tiffNoData) != nil
	if depth := d.one(tiffImageDepth, 0); depth > 1 {
		return im.f.Unsupported("a TIFF image of %d slices (ImageDepth): save each as a page of its own", depth)
	}
	im.claimed = imagesIn(d.text(im.file, tiffDescription))
	im.turn(d.one(tiffOrientation, 0))
	return nil
}

// tiffPages calls do with the byte of each further directory. Directories that overlap are an
// error, so their bytes together are at most those of the file.
func (im *imageFile) tiffPages(do func(at int64) error) error {
	d := im.directory
	for used := d.bytes(); d.next != 0; used += d.bytes() {
		at := d.next
		if used > im.f.Size {
			return im.f.Bad(at, "the TIFF directories overlap, or follow one another in a circle")
		}
		var err error
		if d, err = tiffDirectoryAt(im.file, at); err != nil {
			return im.f.ReadError(at, err)
		}
		if err := do(at); err != nil {
			return err
		}
	}
	return nil
}

// imagesIn returns how many images of one directory a description claims: that of ImageJ, or of
// tifffile if its images share one. It returns 0 if it claims nothing.
func imagesIn(description string) int {
	if strings.Contains(description, `"truncated": true`) {
		return math.MaxInt
	}
	if !strings.HasPrefix(description, "ImageJ=") {
		return 0
	}
	for line := range strings.Lines(description) {
		if number, ok := strings.CutPrefix(line, "images="); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(number))
			return n
		}
	}
	return 0
}

// tiffDirectory is the list of the tags of a TIFF image.
type tiffDirectory struct {
	order    binary.ByteOrder
	at, next int64  // bytes of the file: of this directory, and of the next, or 0
	entries  []byte // tag, type, count, value of each
}

// tagBytes is the size of an entry of a TIFF directory.
const tagBytes = 12

// bytes returns the size of the directory in the file.
func (d *tiffDirectory) bytes() int64 { return 2 + int64(len(d.entries)) + 4 }

// errTIFF reports EXIF data that do not begin as a TIFF file.
var errTIFF = errors.New("not a TIFF file")

// tiffDirectoryAt reads the directory at byte at of a TIFF file, or the first if at is 0.
func tiffDirectoryAt(r io.ReaderAt, at int64) (*tiffDirectory, error) {
	var head [8]byte
	if err := readFull(r, head[:], 0); err != nil {
		return nil, err
	}
	if !IsTIFF(head[:]) {
		return nil, errTIFF
	}
	d := &tiffDirectory{order: binary.LittleEndian, at: at}
	if head[0] == 'M' {
		d.order = binary.BigEndian
	}
	if at == 0 {
		d.at = int64(d.order.Uint32(head[4:]))
	}
	if err := readFull(r, head[:2], d.at); err != nil {
		return nil, err
	}
	n := int64(tagBytes * int(d.order.Uint16(head[:])))
	// The file must end behind the entries before memory is taken for them.
	if err := readFull(r, head[:1], d.at+2+max(0, n-1)); err != nil {
		return nil, err
	}
	d.entries = make([]byte, n)
	if err := readFull(r, d.entries, d.at+2); err != nil {
		return nil, err
	}
	// Some programs leave the offset of the next directory out behind the last one.
	if readFull(r, head[:4], d.at+2+n) == nil {
		d.next = int64(d.order.Uint32(head[:]))
	}
	return d, nil
}

// readFull fills b from byte off on.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	_, err := io.ReadFull(io.NewSectionReader(r, off, int64(len(b))), b)
	return err
}

// entry returns the entry of a tag, or nil.
func (d *tiffDirectory) entry(tag uint16) []byte {
	for e := d.entries; len(e) > 0; e = e[tagBytes:] {
		if d.order.Uint16(e) == tag {
			return e[:tagBytes]
		}
	}
	return nil
}

// count returns the number of values of a tag, 0 without it.
func (d *tiffDirectory) count(tag uint16) uint32 {
	if e := d.entry(tag); e != nil {
		return d.order.Uint32(e[4:])
	}
	return 0
}

// data returns n bytes of an entry, which lie in it or elsewhere in the file r, or nil.
func (d *tiffDirectory) data(r io.ReaderAt, entry []byte, n int64) []byte {
	if n <= 4 {
		return entry[8 : 8+n]
	}
	at := int64(d.order.Uint32(entry[8:]))
	if readFull(r, make([]byte, 1), at+n-1) != nil { // the file must end behind them before memory is taken
		return nil
	}
	b := make([]byte, n)
	if readFull(r, b, at) != nil {
		return nil
	}
	return b
}

// text returns the beginning of the text of a tag, or "" if there is none.
func (d *tiffDirectory) text(r io.ReaderAt, tag uint16) string {
	const most, ascii = 1 << 12, 2
	e := d.entry(tag)
	if e == nil || d.order.Uint16(e[2:]) != ascii {
		return ""
	}
	return string(d.data(r, e, int64(min(d.count(tag), most))))
}

// values returns the whole numbers of a tag in the file r, or nil.
func (d *tiffDirectory) values(r io.ReaderAt, tag uint16) []int64 {
	e := d.entry(tag)
	if e == nil {
		return nil
	}
	size := cmp.Or(map[uint16]int{1: 1, 3: 2}[d.order.Uint16(e[2:])], 4)
	b := d.data(r, e, int64(size)*int64(d.count(tag)))
	v := make([]int64, len(b)/size)
	element.Type{Kind: 'u', Size: size, Big: d.order == binary.BigEndian}.Ints(v, bytes.Clone(b))
	return v
}

// one returns the single whole number of a tag, or absent if there is none.
func (d *tiffDirectory) one(tag uint16, absent int64) int64 {
	if d.count(tag) != 1 {
		return absent
	}
	return d.values(nil, tag)[0]
}
