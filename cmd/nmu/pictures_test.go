package main

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/picture"
	"nmu/internal/record"
	"nmu/lnmu"
)

// smooth writes a matrix of two images of 12 x 20 pixels, hills in two places, in
// columns, pixels in the given order.
func smooth(t *testing.T, byRows bool) string {
	t.Helper()
	p := picture.Pixels{Height: 12, Width: 20, ByRows: byRows}
	data := make([]float64, 2*12*20)
	for y := range 12 {
		for x := range 20 {
			for k, top := range [][2]int{{4, 6}, {8, 14}} {
				dy, dx := y-top[0], x-top[1]
				data[2*p.At(y, x)+k] = 1 / float64(4+dy*dy+dx*dx)
			}
		}
	}
	return npyFile(t, 2, data)
}

// pictureOf reads a .png file.
func pictureOf(t *testing.T, path ...string) image.Image {
	t.Helper()
	picture := must.Get(png.Decode(strings.NewReader(readText(t, path...))))(t, path)
	return picture
}

// The wrong order of the pixels is noticed.
func TestImageOrder(t *testing.T) {
	pictures := map[string]string{}
	draw := func(what, stored string, flags ...string) (stderr string) {
		dir := filepath.Join(t.TempDir(), "out")
		_, stderr = noted[record.Factor](t, append([]string{"factor", smooth(t, stored == "rows"), "--rank", "2", "--method", "nmf", "--image", "12x20", "--out", dir}, flags...)...)
		if picture := pictureOf(t, dir, record.NameBasis); picture.Bounds().Dy() < 64+13 {
			t.Errorf("%s: the picture is %v", what, picture.Bounds())
		}
		pictures[what] = readText(t, dir, record.NameBasis)
		return stderr
	}
	for _, order := range []string{"columns", "rows"} {
		for _, stored := range []string{"columns", "rows"} {
			must.Equal(t, strings.Contains(draw(order+stored, stored, "--image-order", order), "torn"), order != stored, "order", order, "of images in", stored)
		}
	}
	if draw("inverted", "columns", "--invert"); pictures["inverted"] == pictures["columnscolumns"] {
		t.Error("the inverted picture is the same")
	}
}

// A cube gives maps, as a picture and as a cube, whatever the order of its pixels.
func TestMaps(t *testing.T) {
	dir := t.TempDir()
	cube := matio.Labelled[float64]{Rows: 5, Cols: 6, Stride: 6, Data: make([]float64, 30)}
	for i := range cube.Data {
		cube.Data[i] = float64(i%7 + i%5)
	}
	input := filepath.Join(dir, "cube.hdr")
	must.Do(t, matiotest.WriteENVI(filepath.Join(dir, "cube.dat"), cube, 2, 3))
	must.Do(t, matio.WriteFile(input, func(w io.Writer) error { return matio.EncodeENVIHeader(w, cube, 2, 3) }))
	out := filepath.Join(dir, "out")
	succeed(t, "factor", input, "--rank", "2", "--method", "nmf", "--out", out, "--write", "envi,csv")
	holds(t, out, record.NameVTable, record.NameV, record.NameWTable, record.NameCube, record.NameHeader, record.NameW, record.NameResult, record.NameMaps)
	// W.hdr is the header of W.dat, which holds W.
	for _, name := range []string{record.NameW, record.NameHeader} {
		w := matrixOf(t, filepath.Join(out, name)).Data
		must.Equal(t, fmt.Sprint(w), fmt.Sprint(matrixOf(t, filepath.Join(out, record.NameWTable)).Data), name, "holds")
	}
	// The same pixels column by column give the same cube of maps.
	turned := slices.Clone(cube.Data)
	for b := range 5 {
		for y := range 2 {
			for x := range 3 {
				turned[6*b+x*2+y] = cube.Data[6*b+y*3+x]
			}
		}
	}
	path := npyFile(t, 6, turned)
	again, start := filepath.Join(dir, "again"), filepath.Join(dir, "start")
	must.Do(t, os.Mkdir(start, 0o777))
	w := matrixOf(t, filepath.Join(out, record.NameW)).Data
	turnedW := slices.Clone(w)
	for k := range 2 {
		for y := range 2 {
			for x := range 3 {
				turnedW[6*k+x*2+y] = w[6*k+y*3+x]
			}
		}
	}
	write(t, filepath.Join(start, record.NameV), readText(t, out, record.NameV))
	writeMatrix(t, filepath.Join(start, record.NameW), lnmu.NewDense(2, 6, turnedW))
	succeed(t, "factor", path, "--rank", "2", "--method", "nmf", "--init", start, "--iterations", "1", "--map", "2x3", "--out", again, "--write", "envi")
	cubeW := matrixOf(t, filepath.Join(again, record.NameHeader)).Data
	plainW := matrixOf(t, filepath.Join(again, record.NameW)).Data
	for k := range 2 {
		for y := range 2 {
			for x := range 3 {
				if cubeW[6*k+y*3+x] != plainW[6*k+x*2+y] {
					t.Fatalf("map %d, pixel (%d, %d) of the cube is another", k, y, x)
				}
			}
		}
	}
	fails(t, []string{"--map 2x2 does not fit"}, "factor", path, "--rank", "1", "--map", "2x2")
	fails(t, []string{"--map says its size"}, "factor", path, "--rank", "1", "--out", again, "--write", "envi")
	fails(t, []string{"--image-order", "columns or rows"}, "factor", path, "--rank", "1", "--map", "2x3", "--image-order", "x")
	fails(t, []string{"--image-order", "without --image"}, "factor", path, "--rank", "1", "--image-order", "rows")
}
