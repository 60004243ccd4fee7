package envi_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// enviCube writes a cube of 2 bands and 2 x 3 pixels, of which pixel (y, x) has the
// number 10*band + 3*y + x, and returns the paths of header and raster.
func enviCube(t *testing.T, interleave, descr string, number, extra, ext string) (header, raster string) {
	t.Helper()
	const bands, lines, samples = 2, 2, 3
	var data []float64
	at := func(b, y, x int) { data = append(data, float64(10*b+3*y+x)) }
	switch interleave {
	case "bsq":
		for b := range bands {
			for p := range lines * samples {
				at(b, 0, p)
			}
		}
	case "bil":
		for y := range lines {
			for b := range bands {
				for x := range samples {
					at(b, y, x)
				}
			}
		}
	case "bip":
		for p := range lines * samples {
			for b := range bands {
				at(b, 0, p)
			}
		}
	}
	order := 0
	if descr[0] == '>' {
		order = 1
	}
	text := "ENVI\ndescription = {\n a cube}\n"
	for _, field := range []string{"samples = 3", "lines   = 2", "bands   = 2", "header offset = 4", "data type = " + number, "interleave = " + interleave, fmt.Sprint("byte order = ", order)} {
		if name, _, _ := strings.Cut(field, "="); !strings.HasPrefix(extra, strings.TrimSpace(name)+" =") {
			text += field + "\n"
		}
	}
	text += extra
	header = matiotest.Write(t, "cube.hdr", []byte(text))
	raster = filepath.Join(filepath.Dir(header), "cube"+ext)
	must.Do(t, os.WriteFile(raster, append([]byte("skip"), matiotest.BytesOf(data, descr)...), 0o666))
	return header, raster
}

func TestENVI(t *testing.T) {
	want := matiotest.New(2, 6, []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15})
	for descr, number := range map[string]string{
		"|u1": "1", "<i2": "2", ">i2": "2", "<i4": "3", "<f4": "4", ">f4": "4", "<f8": "5", ">f8": "5",
		"<u2": "12", ">u2": "12", "<u4": "13", "<i8": "14", "<u8": "15",
	} {
		for _, interleave := range []string{"bsq", "bil", "bip"} {
			header, raster := enviCube(t, interleave, descr, number, "wavelength = {400.5,\n 410}\nband names = {a, b}\n", ".img")
			for _, path := range []string{header, raster} {
				matiotest.WantDense(t, path, "", want)
				f := matiotest.Open(t, path, matio.Options{})
				must.EqualSlices(t, f.RowNames(), []string{"400.5", "410"}, "names")
				if h, w, ok := f.MapSize(); h != 2 || w != 3 || !ok {
					t.Errorf("MapSize() = %d, %d, %v", h, w, ok)
				}
			}
		}
	}
	for _, names := range [][2]string{{"CUBE.HDR", "CUBE.IMG"}, {"c.Hdr", "c.dat"}, {"c.BSQ.HDR", "c.BSQ"}, {"C.HDR", "C"}} {
		header, raster := enviCube(t, "bsq", "<f8", "5", "", ".img")
		dir := t.TempDir()
		must.Do(t, errors.Join(os.Rename(header, filepath.Join(dir, names[0])), os.Rename(raster, filepath.Join(dir, names[1]))))
		for _, name := range names {
			matiotest.WantDense(t, filepath.Join(dir, name), "", want)
		}
	}
	header, _ := enviCube(t, "bip", "<f8", "5", "band names = {a, b}\n", "")
	must.EqualSlices(t, matiotest.Open(t, header, matio.Options{}).RowNames(), []string{"a", "b"}, "names")
}

func TestENVIErrors(t *testing.T) {
	for _, c := range []struct {
		interleave, number, extra string
		sentinel                  error
		text                      string
	}{
		{"bsq", "6", "", matio.ErrUnsupported, "data type"},
		{"bsq", "", "", matio.ErrUnsupported, "data type"},
		{"xyz", "5", "", matio.ErrFormat, "interleave"},
		{"bsq", "5", "lines = 3\n", matio.ErrFormat, "3 x 3 pixels"},
		{"bsq", "5", "bands = -1\n", matio.ErrFormat, "bands"},
		{"bil", "5", "samples = 10000000\n", matio.ErrFormat, "the header claims"},
		{"bil", "5", "header offset = 5\n", matio.ErrFormat, "after an offset of 5"},
		{"bil", "5", "header offset = 9223372036854775807\n", matio.ErrFormat, "offset"},
		{"bsq", "5", "byte order = 2\n", matio.ErrFormat, "byte order"},
		{"bsq", "5", "file compression = 1\n", matio.ErrUnsupported, "compressed"},
		{"bsq", "5", "wavelength = {1, 2\n", matio.ErrFormat, "line 11: a brace"},
	} {
		header, _ := enviCube(t, c.interleave, "<f8", c.number, c.extra, ".dat")
		matiotest.WantError(t, header, matio.Options{}, c.sentinel, c.text)
	}
	header, raster := enviCube(t, "bsq", "<f8", "5", "", ".dat")
	must.Do(t, os.Remove(raster))
	matiotest.WantError(t, header, matio.Options{}, fs.ErrNotExist, "no raster beside")
	matiotest.WantError(t, matiotest.Write(t, "a.hdr", []byte("NVI\n")), matio.Options{}, matio.ErrFormat, "line 1: want ENVI")
}

func TestWriteENVI(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testWriteENVI[float64](t) })
	t.Run("float32", func(t *testing.T) { testWriteENVI[float32](t) })
}

func testWriteENVI[T matio.Float](t *testing.T) {
	dir := t.TempDir()
	m := matio.Labelled[T]{Rows: 2, Cols: 6, Stride: 7, Data: []T{0, 1, 2, 3, 4, 5, -1, 10, 11, 12, 13, 14, 15}}
	raster, header := filepath.Join(dir, "W.dat"), filepath.Join(dir, "W.hdr")
	must.Do(t, matiotest.WriteENVI(raster, m, 2, 3))
	must.Do(t, matio.WriteFile(header, func(w io.Writer) error { return matio.EncodeENVIHeader(w, m, 2, 3) }))
	matiotest.WantDense(t, header, "", matiotest.New(2, 6, []float64{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}))
	if err := matiotest.WriteENVI(raster, m, 4, 2); err == nil {
		t.Error("an image that does not fit is no error")
	}
}
