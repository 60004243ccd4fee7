package picture

import (
	"bufio"
	"compress/zlib"
	"io"

	"golang.org/x/image/tiff/lzw"

	"nmu/internal/matio/internal/element"
)

// Tags of a TIFF image that say where its pixels are: in strips of rows, or in tiles.
const (
	tiffStripOffsets  = 273
	tiffSamples       = 277
	tiffRowsPerStrip  = 278
	tiffStripBytes    = 279
	tiffTileWidth     = 322
	tiffTileLength    = 323
	tiffTileOffsets   = 324
	tiffTileByteCount = 325
)

// Compressions of TIFF that decode to any length.
const (
	tiffLZW, tiffDeflate, tiffPackBits = 5, 8, 32773
	tiffDeflateOld                     = 32946
)

// checkStrips refuses an image of which a strip or tile decodes to more bytes than its rows have: then a damaged code
// has moved its pixels, of which the decoder takes the first.
func (im *imageFile) checkStrips() error {
	d := im.directory
	var length func(r io.Reader, most int64) int64
	switch d.one(tiffCompression, 0) {
	case tiffLZW:
		length = func(r io.Reader, most int64) int64 { return lengthOf(lzw.NewReader(r, lzw.MSB, 8), most) }
	case tiffDeflate, tiffDeflateOld:
		length = func(r io.Reader, most int64) int64 {
			z, err := zlib.NewReader(r)
			if err != nil {
				return 0 // which the decoder reports
			}
			return lengthOf(z, most)
		}
	case tiffPackBits:
		length = packedLength
	default:
		return nil
	}
	height, width := d.one(tiffImageLength, 0), d.one(tiffImageWidth, 0)
	offsets, counts := d.values(im.file, tiffStripOffsets), d.values(im.file, tiffStripBytes)
	rows := min(d.one(tiffRowsPerStrip, 1<<31), height)
	what, across := "strip", int64(1)
	if d.entry(tiffTileOffsets) != nil {
		offsets, counts, what = d.values(im.file, tiffTileOffsets), d.values(im.file, tiffTileByteCount), "tile"
		rows = d.one(tiffTileLength, 0)
		tile := max(1, d.one(tiffTileWidth, 0))
		across, width = (width+tile-1)/tile, tile
	}
	bits := d.one(tiffSamples, 1) * 8
	if b := d.values(im.file, tiffBitsPerSample); len(b) > 0 {
		bits = d.one(tiffSamples, 1) * b[0]
	}
	size, ok := element.Mul(rows, (width*bits+7)/8)
	parts := across * ((height + max(1, rows) - 1) / max(1, rows))
	for k := int64(0); ok && k < min(int64(len(offsets)), int64(len(counts)), parts); k++ {
		if err := im.f.Ended(); err != nil {
			return err
		}
		r := bufio.NewReader(io.NewSectionReader(im.file, offsets[k], counts[k]))
		if length(r, size+1) > size {
			return im.f.Bad(offsets[k], "%s %d of the TIFF image decodes to more than the %d bytes of its rows; a code of it is damaged", what, k+1, size)
		}
	}
	return nil
}

// lengthOf returns how many bytes r delivers, up to most.
func lengthOf(r io.Reader, most int64) int64 {
	n, _ := io.Copy(io.Discard, io.LimitReader(r, most)) // what is wrong the decoder reports
	return n
}

// packedLength returns how many bytes PackBits decodes to, up to some more than most.
func packedLength(r io.Reader, most int64) (n int64) {
	b := r.(*bufio.Reader)
	for n < most {
		code, err := b.ReadByte()
		if err != nil {
			break
		}
		run := int64(int8(code))
		skip := 1
		switch {
		case run == -128:
			continue
		case run < 0:
			run = -run
		default:
			skip = int(run) + 1
		}
		if _, err := b.Discard(skip); err != nil {
			break
		}
		n += run + 1
	}
	return n
}
