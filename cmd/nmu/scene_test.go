package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
)

// The scene of the tests: bands x pixels, of which pixels 3 and 7 have no data.
const sceneBands, sceneHeight, sceneWidth, ignored = 6, 3, 4, 65535

func scenePixel(band, pixel int) float64 {
	if pixel == 3 || pixel == 7 {
		return ignored
	}
	return float64(1 + (7*band*band+5*pixel+band*pixel)%23)
}

// envi writes an ENVI cube, band by band, and returns the path of its header.
func envi(t *testing.T, bands int, extra string, at func(band, pixel int) float64) string {
	t.Helper()
	header := textFile(t, "scene.hdr", fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = %d\ndata type = 12\ninterleave = bsq\nbyte order = 0\n%s", sceneWidth, sceneHeight, bands, extra))
	var raster []byte
	for b := range bands {
		for p := range sceneHeight * sceneWidth {
			raster = binary.LittleEndian.AppendUint16(raster, uint16(at(b, p)))
		}
	}
	write(t, strings.TrimSuffix(header, ".hdr")+".dat", string(raster))
	return header
}

// readNpy reads a .npy file.
func readNpy(t *testing.T, path string) (rows, cols int, x []float64) {
	t.Helper()
	d := matrixOf(t, path)
	return d.Rows, d.Cols, d.Data
}

// TestScenesWithoutData: pixels and bands of a scene without an observed entry are left out, and
// get NaN. The others have the factors of the matrix without them, and the error is that of
// the observed entries.
func TestScenesWithoutData(t *testing.T) {
	const pixels = sceneHeight * sceneWidth
	seen := func(p int) float64 {
		if p == 3 || p == 7 {
			return 0
		}
		return 1
	}
	image, all := []float64{}, []float64{}
	for p := range pixels {
		image = append(image, seen(p))
	}
	for range sceneBands {
		all = append(all, image...)
	}
	plain := envi(t, sceneBands, "", scenePixel)
	declared := envi(t, sceneBands, fmt.Sprintf("data ignore value = %d\n", ignored), scenePixel)
	band := envi(t, 1, "", func(_, p int) float64 { return seen(p) })
	withoutBand := append([]float64{}, all...)
	for p := range pixels {
		withoutBand[2*pixels+p] = 0
	}
	for name, c := range map[string]struct {
		flags []string
		left  int // a band that is left out, or -1
	}{
		"ignore value":     {[]string{declared, "--missing", "allow"}, -1},
		"mask":             {[]string{plain, "--mask", npyFile(t, pixels, all)}, -1},
		"mask of pixels":   {[]string{plain, "--mask", npyFile(t, sceneWidth, image)}, -1},
		"mask of one band": {[]string{plain, "--mask", band}, -1},
		"mask of a column": {[]string{plain, "--mask", npyFile(t, 1, image)}, -1},
		"weights":          {[]string{plain, "--weights", npyFile(t, sceneWidth, image)}, -1},
		"both":             {[]string{declared, "--missing", "allow", "--mask", npyFile(t, sceneWidth, image)}, -1},
		"a band":           {[]string{plain, "--mask", npyFile(t, pixels, withoutBand)}, 2},
		"a band and both":  {[]string{declared, "--missing", "allow", "--mask", npyFile(t, pixels, withoutBand)}, 2},
	} {
		for _, transposed := range []bool{false, true} {
			if os.Getenv("NMU_FULL") == "" && transposed && name != "both" && name != "a band and both" {
				continue
			}
			var m []float64
			cols := 0
			for b := range sceneBands {
				for p := range pixels {
					if seen(p) != 0 && b != c.left {
						m = append(m, scenePixel(b, p))
					}
				}
			}
			cols = pixels - 2
			flags := []string{"--rank", "2", "--method", "nmf", "--restarts", "1"}
			if transposed {
				flags = append(flags, "--transpose")
			}
			want, got := filepath.Join(t.TempDir(), "want"), filepath.Join(t.TempDir(), "got")
			succeed(t, append([]string{"factor", npyFile(t, cols, m), "--out", want}, flags...)...)
			succeed(t, append(append([]string{"factor", "--report", "--out", got}, c.flags...), flags...)...)
			checkScene(t, name, want, got, transposed, func(p int) bool { return seen(p) == 0 }, c.left)
			succeed(t, "report", got)
			if !transposed && c.left < 0 {
				checkTransform(t, name, want, c.flags, npyFile(t, cols, m))
			}
		}
	}
	fails(t, []string{"row 1, column 4 of M = NaN", "--missing allow takes NaN as a missing entry"}, "factor", declared, "--rank", "2")
	fails(t, []string{"row 1, column 4 is NaN", "--missing allow keeps NaN as a missing entry"}, "convert", declared, filepath.Join(t.TempDir(), "m.npy"))
	fails(t, []string{"--mask", "1 x 2 and the matrix is 6 x 12", "or the size of the scene, 3 x 4"}, "factor", plain, "--rank", "2", "--mask", npyFile(t, 2, []float64{1, 1}))
	fails(t, []string{"left out: 1 row of 6 and 2 columns of 12 without an observed entry"}, "factor", plain, "--rank", "2", "--method", "rnmu", "--smooth-w", "1", "--mask", npyFile(t, pixels, withoutBand))
	negative := append([]float64{}, image...)
	negative[8] = -2
	fails(t, []string{"row 1, column 9 of the weights = -2"}, "factor", plain, "--rank", "2", "--weights", npyFile(t, sceneWidth, negative))
	// A bad entry is named by its place in the whole scene.
	far := envi(t, sceneBands, "", scenePixel)
	write(t, far, "ENVI\nsamples = 4\nlines = 3\nbands = 6\ndata type = 2\ninterleave = bsq\n; int16\ndata ignore value = -1\n")
	raster := must.Get(os.ReadFile(strings.TrimSuffix(far, ".hdr") + ".dat"))(t)
	binary.LittleEndian.PutUint16(raster[2*(pixels+5):], 0xfff9)
	write(t, strings.TrimSuffix(far, ".hdr")+".dat", string(raster))
	fails(t, []string{"row 2, column 6 of M = -7 is negative"}, "factor", far, "--rank", "2", "--missing", "allow")
}

// checkTransform compares the weights of a scene with those of the matrix without its empty
// pixels.
func checkTransform(t *testing.T, name, basis string, scene []string, without string) {
	t.Helper()
	want, got := filepath.Join(t.TempDir(), "want"), filepath.Join(t.TempDir(), "got")
	succeed(t, "transform", basis, without, "--out", want)
	succeed(t, append([]string{"transform", basis, "--out", got}, scene...)...)
	_, cols, x := readNpy(t, filepath.Join(got, record.NameW))
	_, _, y := readNpy(t, filepath.Join(want, record.NameW))
	k := 0
	for at, entry := range x {
		expected := math.NaN()
		if p := at % cols; p != 3 && p != 7 {
			expected = y[k]
			k++
		}
		if !alike(entry, expected) {
			t.Fatalf("%s: transformed, number %d is %v, want %v", name, at, entry, expected)
		}
	}
	must.Equal(t, k, len(y), name)
}

// checkScene compares a run on a scene with one on the matrix without its empty pixels and the
// band left, or none if that is negative.
func checkScene(t *testing.T, name, want, got string, transposed bool, empty func(pixel int) bool, left int) {
	t.Helper()
	outRow, outCol := func(b int) bool { return b == left }, empty
	if transposed {
		outRow, outCol = outCol, outRow
	}
	sameButLeftOut(t, fmt.Sprintf("%s, transposed %v", name, transposed), want, got, outRow, outCol)
	// The error is that of the observed entries.
	_, n, w := readNpy(t, filepath.Join(got, record.NameW))
	m, r, v := readNpy(t, filepath.Join(got, record.NameV))
	var gap, norm float64
	observed := 0
	for i := range m {
		for j := range n {
			b, p := i, j
			if transposed {
				b, p = j, i
			}
			if b == left || empty(p) {
				continue
			}
			observed++
			x := scenePixel(b, p)
			norm += x * x
			for k := range r {
				x -= v[i*r+k] * w[k*n+j]
			}
			gap += x * x
		}
	}
	rep := result(t, got)
	if want := math.Sqrt(gap / norm); math.Abs(rep.RelativeError-want) > 1e-9 || rep.Missing != m*n-observed || rep.Rows != m || rep.Cols != n {
		t.Errorf("%s: %+v, want the error %v and %d missing entries of %d x %d", name, rep, want, m*n-observed, m, n)
	}
}

// sameButLeftOut checks that V and W in the folder got are those in want, with NaN in the rows of V and the columns of
// W that are left out.
func sameButLeftOut(t *testing.T, what, want, got string, outRow, outCol func(line int) bool) {
	t.Helper()
	for name, out := range map[string]func(line int) bool{record.NameV: outRow, record.NameW: outCol} {
		d, left, k := matrixOf(t, filepath.Join(got, name)), matrixOf(t, filepath.Join(want, name)), 0
		for at, x := range d.Data {
			line := at % d.Cols
			if name == record.NameV {
				line = at / d.Cols
			}
			expected := math.NaN()
			if !out(line) && k < len(left.Data) {
				expected = left.Data[k]
				k++
			}
			if !alike(x, expected) {
				t.Fatalf("%s: number %d of %s is %v, want %v", what, at, name, x, expected)
			}
		}
		must.Equal(t, k, len(left.Data), what, name)
	}
}

// TestScene goes the way of someone with a hyperspectral scene: a cube in a .npy file, its pure
// pixels, parts that add up to one, the spectra of a table that they are nearest to, and parts
// for the same scene anew. On the way the notes say that the array is a cube.
func TestScene(t *testing.T) {
	const lines, samples, bands = 4, 5, 6
	spectra := [][]float64{{1, 2, 3, 2, 1, 0.5}, {3, 1, 0, 1, 2, 4}, {0, 0, 1, 5, 1, 0}}
	var cube []float64
	for p := range lines * samples {
		h := []float64{float64(p % 4), float64(p % 3), float64((p + 1) % 5)} // some mixtures
		switch p {
		case 3, 8, 13:
			h = make([]float64, 3)
			h[p/5] = 1
		}
		sum := h[0] + h[1] + h[2]
		for b := range bands {
			cube = append(cube, (h[0]*spectra[0][b]+h[1]*spectra[1][b]+h[2]*spectra[2][b])/sum)
		}
	}
	dir := t.TempDir()
	scene := matiotest.Write(t, "scene.npy", matiotest.NpyFile(1, "<f8", false, fmt.Sprintf("(%d, %d, %d)", lines, samples, bands), matiotest.BytesOf(cube, "<f8")))
	table := "band,alunite,calcite,nothing,kaolinite\n"
	for b := range bands {
		table += fmt.Sprintf("b%d,%v,%v,0,%v\n", b, spectra[2][b], 2*spectra[0][b], spectra[1][b])
	}
	library := matiotest.Write(t, "library.csv", []byte(table))
	found := filepath.Join(dir, "found")
	for _, init := range []string{"spa", "snpa"} {
		status, out, notes := nmu("factor", scene, "--rank", "3", "--method", "nmf", "--init", init, "--sum-to-one", "w", "--iterations", "5", "--out", found, "--report")
		if status != 0 || !strings.Contains(notes, "a cube of 4 x 5 pixels with 6 bands") {
			t.Fatalf("status %d, %s; the notes do not say that it is a cube: %s", status, out, notes)
		}
		must.Below(t, result(t, found).RelativeError, 1e-12, "--init", init, "relative error")
	}
	out := succeed(t, "report", found, "--library", library)
	for _, name := range []string{"alunite 0.00°", "calcite 0.00°", "kaolinite 0.00°"} {
		must.Say(t, out, "  "+name, name)
	}
	if strings.Contains(out, "nothing") || strings.Count(out, "\npart ") != 2 {
		t.Errorf("not three parts, or a spectrum of zeros:\n%s", out)
	}
	contains(t, readText(t, found, "report.html"), "known spectra", "alunite <data")
	parts := filepath.Join(dir, "parts")
	succeed(t, "transform", found, scene, "--sum-to-one", "--out", parts)
	rows, cols, w := readNpy(t, filepath.Join(parts, "W.npy"))
	for j := range cols {
		sum := 0.0
		for k := range rows {
			sum += w[k*cols+j]
		}
		if !(sum > 1-1e-12 && sum < 1+1e-12) {
			t.Errorf("the parts in pixel %d add up to %v", j, sum)
		}
	}
	turned := matiotest.Write(t, "turned.npy", matiotest.NpyFile(1, "<f8", false, "(1, 6)", matiotest.BytesOf(spectra[0], "<f8")))
	fails(t, []string{"--library", "convert --transpose"}, "report", found, "--library", turned)
	fails(t, []string{"--library is empty"}, "report", found, "--library", "")
}

// --skip-rows with the header of a scene leaves its bad bands out, like a list of their numbers.
func TestBadBands(t *testing.T) {
	good := make([]byte, 0, 2*sceneBands)
	for b := range sceneBands {
		good = append(good, map[bool]string{true: "0,", false: "1,"}[b == 1]...)
	}
	header := envi(t, sceneBands, "bbl = {"+string(good[:len(good)-1])+"}\n", scenePixel)
	flags := []string{"factor", header, "--rank", "2", "--method", "nmf", "--init", "svd", "--iterations", "20"}
	v := func(skip ...string) []float64 {
		dir := filepath.Join(t.TempDir(), "out")
		succeed(t, append(append(slices.Clone(flags), "--out", dir), skip...)...)
		return matrixOf(t, filepath.Join(dir, "V.npy")).Data
	}
	want := v("--skip-rows", textFile(t, "bad.txt", "2\n"))
	if got := v("--skip-rows", header); !slices.EqualFunc(got, want, alike) {
		t.Errorf("V is %v, want %v", got, want)
	}
	turned := []string{"rank", header, "--transpose", "--ranks", "1", "--iterations", "10", "--folds", "2"}
	succeed(t, append(turned, "--skip-cols", header)...)
	plain := envi(t, sceneBands, "", scenePixel)
	fails(t, []string{"--skip-rows", "marks no band as bad"}, append(slices.Clone(flags), "--skip-rows", plain)...)
}
