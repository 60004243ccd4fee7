package picture

import (
	"encoding/binary"
	"io"

	"golang.org/x/image/tiff"
)

// Tags of a TIFF image that define the meaning of its bits.
const (
	tiffCompression = 259
	tiffPhotometric = 262
	tiffFillOrder   = 266
	tiffT4Options   = 292
)

// Values of these tags.
const (
	whiteIsZero, blackIsZero = 0, 1    // photometric
	rle, group3, group4      = 2, 3, 4 // compression, of CCITT
	leastBitFirst            = 2       // fill order
)

// tiffHeader reads the header of a TIFF image. It refuses images that the decoder
// misreads, and corrects those that the decoder inverts.
func (im *imageFile) tiffHeader() error {
	if err := im.header(tiff.DecodeConfig, tiffPixels); err != nil {
		return err
	}
	tag, err := im.tiffTags()
	if err != nil {
		return err
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
	return nil
}

// tiffTags returns those of the tags above that the first image of the file has. The decoder
// has already checked the directory.
func (im *imageFile) tiffTags() (map[uint16]uint32, error) {
	var head [8]byte
	if _, err := im.file.ReadAt(head[:], 0); err != nil {
		return nil, im.f.ReadError(0, err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(head[4:]))
	if _, err := im.file.ReadAt(head[:2], at); err != nil {
		return nil, im.f.ReadError(at, err)
	}
	const size = 12 // tag, type, count, value
	entries := make([]byte, size*int(order.Uint16(head[:])))
	if _, err := io.ReadFull(io.NewSectionReader(im.file, at+2, int64(len(entries))), entries); err != nil {
		return nil, im.f.ReadError(at, err)
	}
	tags := map[uint16]uint32{}
	for e := entries; len(e) > 0; e = e[size:] {
		tag, kind, count, value := order.Uint16(e), order.Uint16(e[2:]), order.Uint32(e[4:]), e[8:]
		switch tag {
		case tiffCompression, tiffPhotometric, tiffFillOrder, tiffT4Options:
		default:
			continue
		}
		switch {
		case count != 1:
			return nil, im.f.Bad(at, "TIFF tag %d has %d values: want 1", tag, count)
		case kind == 1:
			tags[tag] = uint32(value[0])
		case kind == 3:
			tags[tag] = uint32(order.Uint16(value))
		default:
			tags[tag] = order.Uint32(value)
		}
	}
	return tags, nil
}
