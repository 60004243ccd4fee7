package picture

import "bytes"

// FirstStrip returns the byte of a TIFF file at which its first strip or tile begins.
func FirstStrip(content []byte) int {
	r := bytes.NewReader(content)
	d, _ := tiffDirectoryAt(r, 0)
	return int(append(d.values(r, tiffStripOffsets), d.values(r, tiffTileOffsets)...)[0])
}

// Tags that tests need.
const (
	TIFFCompression = tiffCompression
	TIFFPhotometric = tiffPhotometric
)
