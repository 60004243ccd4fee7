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

// FolderOf writes files into a folder.
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

// PNGFile is an image as a PNG file.
func PNGFile(t testing.TB, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, im); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// JPEGFile and tiffFile encode an image.
func JPEGFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TIFFFile is an image as a TIFF file.
func TIFFFile(t testing.TB, m image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := tiff.Encode(&buf, m, &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Enlarged returns a JPEG file whose frame claims to be as large as it can be.
func Enlarged(file []byte) []byte {
	at := bytes.Index(file, []byte("\xff\xc0"))
	binary.BigEndian.PutUint16(file[at+5:], 65500)
	binary.BigEndian.PutUint16(file[at+7:], 65500)
	return file
}

// PNGMagic is what a PNG image begins with.
const PNGMagic = "\x89PNG\r\n\x1a\n"
