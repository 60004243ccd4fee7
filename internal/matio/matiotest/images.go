package matiotest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
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
func PNGFile(t testing.TB, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// JPEGFile encodes an image as JPEG.
func JPEGFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TIFFFile encodes an image as TIFF.
func TIFFFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := tiff.Encode(&buf, m, &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
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
