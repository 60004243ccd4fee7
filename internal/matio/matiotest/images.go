package matiotest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/tiff"
)

// FolderOf writes files into a temporary folder and returns its path.
func FolderOf(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// PNGFile encodes an image as PNG.
func PNGFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	return written(t, func(w io.Writer) error { return png.Encode(w, m) })
}

// JPEGFile encodes an image as JPEG.
func JPEGFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	return written(t, func(w io.Writer) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 100}) })
}

// TIFFFile encodes an image as TIFF.
func TIFFFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	return written(t, func(w io.Writer) error { return tiff.Encode(w, m, &tiff.Options{Compression: tiff.Deflate}) })
}

// Enlarged returns a JPEG file with the largest possible size in its frame header.
func Enlarged(file []byte) []byte {
	at := bytes.Index(file, []byte("\xff\xc0"))
	binary.BigEndian.PutUint16(file[at+5:], 65500)
	binary.BigEndian.PutUint16(file[at+7:], 65500)
	return file
}

// PNGMagic is what a PNG image begins with.
const PNGMagic = "\x89PNG\r\n\x1a\n"
