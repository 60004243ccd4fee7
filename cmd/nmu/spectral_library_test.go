package main

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
)

// spectralLibrary writes an ENVI spectral library by its layout: a line of the raster for each spectrum.
func spectralLibrary(t *testing.T, bands int, names []string, extra string, at func(band, spectrum int) float64) string {
	t.Helper()
	header := textFile(t, "minerals.hdr", fmt.Sprintf("ENVI\nsamples = %d\nlines = %d\nbands = 1\ndata type = 4\ninterleave = bsq\nbyte order = 0\nfile type = ENVI Spectral Library\nspectra names = {%s}\n%s",
		bands, len(names), strings.Join(names, ", "), extra))
	var raster []byte
	for s := range names {
		for b := range bands {
			raster = binary.LittleEndian.AppendUint32(raster, math.Float32bits(float32(at(b, s))))
		}
	}
	path := strings.TrimSuffix(header, ".hdr") + ".sli"
	write(t, path, string(raster))
	return path
}

const wavelengths = "wavelength units = Nanometers\nwavelength = {400, 450.5, 500, 550, 600, 650}\n"

func TestSpectralLibraryIsReadAndWritten(t *testing.T) {
	at := func(b, s int) float64 { return float64(1 + (3*b+5*s)%7) }
	path := spectralLibrary(t, sceneBands, []string{"quartz", "kaolinite (fine)"}, wavelengths, at)
	for _, read := range []string{path, strings.TrimSuffix(path, ".sli") + ".hdr"} {
		dense := filepath.Join(t.TempDir(), "m.npy")
		succeed(t, "convert", read, dense)
		rows, cols, x := readNpy(t, dense)
		if rows != sceneBands || cols != 2 {
			t.Fatalf("%s is %d x %d", read, rows, cols)
		}
		for i, e := range x {
			must.Equal(t, e, at(i/2, i%2), "row", i/2, "spectrum", i%2)
		}
	}
	table := textFile(t, "m.csv", "nm,quartz,\"a, {b} = c\"\n400,1,2\n450.5,3,4\n500,5,6.5\n")
	out := filepath.Join(t.TempDir(), "lib.sli")
	contains(t, succeed(t, "convert", table, out), "3 x 2, a column for each spectrum, float64")
	header := readText(t, filepath.Dir(out), "lib.hdr")
	contains(t, header, "samples = 3\n", "lines = 2\n", "bands = 1\n", "data type = 5\n", "file type = ENVI Spectral Library\n", "spectra names = {quartz, a   b    c}\n", "wavelength = {400, 450.5, 500}\n")
	raster := []byte(readText(t, filepath.Dir(out), "lib.sli"))
	for i, want := range []float64{1, 3, 5, 2, 4, 6.5} {
		must.Equal(t, math.Float64frombits(binary.LittleEndian.Uint64(raster[8*i:])), want, "number", i, "of the raster")
	}
	again := filepath.Join(t.TempDir(), "again.sli")
	contains(t, succeed(t, "convert", path, again, "--json"), `"schema": "nmu-convert/1"`, `"sparse": false`, `"rows": 6,`, `"precision": "float32"`) // with the units
	contains(t, readText(t, filepath.Dir(again), "again.hdr"), wavelengths, "data type = 4\n")
	fails(t, []string{"lib.sli is there already", "--force"}, "convert", table, out)
	fails(t, []string{"is made of one INPUT, and there are 2"}, "convert", table, table, filepath.Join(t.TempDir(), "x.sli"))
	bad := strings.TrimSuffix(path, ".sli") + ".hdr"
	write(t, bad, "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 4\ninterleave = bsq\nfile type = ENVI Spectral Library\n")
	fails(t, []string{"a spectral library of 2 bands: want 1"}, "convert", bad, filepath.Join(t.TempDir(), "x.npy"))
}

// The page about a scene has the unit of the wavelengths, the nearest spectra behind the parts, and one scale
// for all maps if sums are one.
func TestPageAboutAScene(t *testing.T) {
	scene := envi(t, sceneBands, wavelengths, scenePixel)
	library := spectralLibrary(t, sceneBands, []string{"quartz", "kaolinite"}, wavelengths, func(b, s int) float64 { return float64(1 + (3*b+5*s)%7) })
	for _, sums := range []bool{false, true} {
		out := filepath.Join(t.TempDir(), "out")
		args := []string{"factor", scene, "--rank", "2", "--method", "nmf", "--restarts", "1", "--iterations", "50", "--out", out}
		if sums {
			args = append(args, "--sum-to-one", "w")
		}
		succeed(t, args...)
		contains(t, readText(t, out, record.NameResult), `"row_axis": "wavelength (Nanometers)"`)
		succeed(t, "report", out, "--library", library)
		page := readText(t, out, record.NameReport)
		for text, want := range map[string]bool{
			"curves over the wavelength (Nanometers), from 400 to 650": true,
			"The thin curve is the nearest spectrum of ":               true,
			"all maps have one scale, on which 1 is full":              sums,
			"each map has its own scale":                               !sums,
		} {
			must.Equal(t, strings.Contains(page, text), want, "sums", sums, "the page has", text, !want)
		}
		parts := regexp.MustCompile(`(?s)<section id="parts".*?</section>`).FindString(page)
		must.Equal(t, strings.Count(parts, `<path class="behind" d="M`), 2, "spectra are drawn behind 2 parts")
		// In weights.png, black is 1 if sums are one, and else the largest weight of a part.
		rows, cols, w := readNpy(t, filepath.Join(out, record.NameW))
		picture := pictureOf(t, out, record.NameMaps)
		const zoom, border, number, gap = 22, 2, 13, sceneWidth*22 + 2
		for k := range rows {
			most := 1.0
			if !sums {
				for _, x := range w[k*cols : (k+1)*cols] {
					most = max(most, x)
				}
			}
			for p := range cols {
				at := picture.At(border+k*gap+p%sceneWidth*zoom+zoom/2, border+number+p/sceneWidth*zoom+zoom/2)
				if got, want := float64(color.GrayModel.Convert(at).(color.Gray).Y), 255*(1-w[k*cols+p]/most); sums && math.Abs(got-want) > 1 {
					t.Errorf("part %d, pixel %d has the gray %v, want %v", k, p, got, want)
				}
			}
		}
	}
}

// TestLibraryLabels: a table of spectra has its rows in another order than M. Its first column of
// numbers holds their labels under any name, since they are the names of the rows of M, and under no
// name. It is never one of the spectra.
func TestLibraryLabels(t *testing.T) {
	bands := []string{"400.00", "405.50", "411.00", "416.5", "1400", "427.50", "433", "438.500"}
	header := "ENVI\nsamples = 5\nlines = 1\nbands = 8\ndata type = 5\ninterleave = bsq\nbyte order = 0\nwavelength = {" + strings.Join(bands, ", ") + "}\n"
	var x []float64
	for i := range bands {
		for j := range 5 {
			x = append(x, parts.at(i, j))
		}
	}
	dir := matiotest.FolderOf(t, map[string][]byte{"cube.hdr": []byte(header), "cube.dat": matiotest.BytesOf(x, "<f8")})
	run := filepath.Join(dir, "run")
	succeed(t, "factor", filepath.Join(dir, "cube.hdr"), "--rank", "2", "--method", "nmf", "--restarts", "1", "--out", run)
	table := func(head string, order []int) string {
		text := head + "alunite,calcite\n"
		for _, i := range order {
			text += fmt.Sprintf("%s,%v,%v\n", strings.TrimRight(strings.TrimRight(bands[i], "0"), "."), parts.at(i, 0), parts.at(i, 4))
		}
		return textFile(t, "library.csv", strings.ReplaceAll(text, "\n14,", "\n1400,"))
	}
	said := func(library string) string {
		return succeed(t, "report", run, "--library", library, "--out", filepath.Join(t.TempDir(), "page.html"))
	}
	nearest := func(out string) string {
		_, after, _ := strings.Cut(out, "part 1")
		angles, _, _ := strings.Cut(after, "written")
		return angles
	}
	want := nearest(said(table("wavelength,", []int{0, 1, 2, 3, 4, 5, 6, 7})))
	if strings.Count(want, "alunite") != 2 || strings.Contains(want, "wavelength") {
		t.Fatalf("angles\n%s", want)
	}
	for _, head := range []string{"x,", "wavelength,", ",", ""} {
		must.Equal(t, nearest(said(table(head, []int{7, 3, 1, 0, 5, 6, 2, 4}))), want, "header", head)
	}
}

// TestNamesInMat: the names of V and W in a factors.mat that nmu has written are read back.
func TestNamesInMat(t *testing.T) {
	input := textFile(t, "m.csv", "id,a,b,c\nr1,1,2,3\nr2,3,1,5\nr3,4,6,1\n")
	dir := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", input, "--rank", "2", "--method", "nmf", "--restarts", "1", "--write", "mat", "--out", dir)
	again := []string{"factor", filepath.Join(dir, "factors.mat"), "--rank", "1", "--method", "nmf", "--restarts", "1", "--var"}
	if v, _ := noted[record.Factor](t, append(again, "V")...); !slices.Equal(v.RowNames, []string{"r1", "r2", "r3"}) {
		t.Errorf("the rows of V have the names %q", v.RowNames)
	}
	if w, _ := noted[record.Factor](t, append(again, "W")...); !slices.Equal(w.ColNames, []string{"a", "b", "c"}) {
		t.Errorf("the columns of W have the names %q", w.ColNames)
	}
}
