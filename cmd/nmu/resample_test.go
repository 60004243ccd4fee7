package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/record"
)

// at is the number at x on the lines between points with ascending abscissae, as numpy.interp has it.
func at(x float64, xs, ys []float64) float64 {
	for i := 1; i < len(xs); i++ {
		if x <= xs[i] {
			return ys[i-1] + (ys[i]-ys[i-1])*(x-xs[i-1])/(xs[i]-xs[i-1])
		}
	}
	return math.NaN()
}

// A library with other wavelengths than the scene, more or fewer and in other units, is compared with the parts at
// those of the scene.
func TestLibraryOfOtherWavelengths(t *testing.T) {
	scene := envi(t, sceneBands, wavelengths, scenePixel)
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, "factor", scene, "--rank", "2", "--method", "nmf", "--restarts", "1", "--iterations", "50", "--out", run)
	v := matrixOf(t, filepath.Join(run, record.NameV))
	names := []string{"quartz", "kaolinite"}
	spectrum := func(b, s int) float64 { return float64(1 + (3*b*b+5*s)%7) }
	for name, c := range map[string]struct {
		units string
		scale float64 // of nanometers
		at    []float64
	}{
		"more":        {"Nanometers", 1, []float64{350, 400, 430, 470, 480, 520, 560, 580, 610, 640, 700}},
		"fewer":       {"nm", 1, []float64{400, 500, 650}},
		"as many":     {"Nanometers", 1, []float64{390, 450, 510, 530, 600, 660}},
		"micrometers": {"Micrometers", 1e-3, []float64{380, 440, 500, 575, 660}},
		"no unit":     {"Unknown", 1, []float64{380, 440, 500, 575, 660}},
		"reversed":    {"um", 1e-3, []float64{660, 575, 500, 440, 380}},
	} {
		var list []string
		for _, x := range c.at {
			list = append(list, fmt.Sprint(x*c.scale))
		}
		library := spectralLibrary(t, len(c.at), names, fmt.Sprintf("wavelength units = %s\nwavelength = {%s}\n", c.units, strings.Join(list, ", ")), spectrum)
		page := filepath.Join(t.TempDir(), "page.html")
		status, stdout, stderr := nmu("report", run, "--library", library, "--out", page)
		says := fmt.Sprintf("its spectra have %d wavelengths from", len(c.at))
		if status != 0 || !strings.Contains(stderr, says) || !strings.Contains(stderr, "interpolated linearly at the 6 of the run") || strings.Contains(stderr, "as if in the same unit") != (c.units == "Unknown") {
			t.Fatalf("%s: status %d, %s", name, status, stderr)
		}
		if text := readText(t, filepath.Dir(page), "page.html"); !strings.Contains(text, says) || strings.Count(text, `<path class="behind" d="M`) < 2 {
			t.Errorf("%s: the page lacks the note or the spectra", name)
		}
		for k := range 2 {
			for s, mineral := range names {
				var xs, ys []float64
				for b, x := range c.at {
					xs, ys = append(xs, x), append(ys, spectrum(b, s))
				}
				if xs[0] > xs[1] {
					slices.Reverse(xs)
					slices.Reverse(ys)
				}
				var vv, yy, vy float64
				for i, x := range []float64{400, 450.5, 500, 550, 600, 650} {
					y := at(x, xs, ys)
					vv, yy, vy = vv+v.At(i, k)*v.At(i, k), yy+y*y, vy+v.At(i, k)*y
				}
				if want := fmt.Sprintf("%s %.2f°", mineral, math.Acos(vy/math.Sqrt(vv*yy))*180/math.Pi); !strings.Contains(strings.Split(stdout, "\n")[k], want) {
					t.Errorf("%s: part %d lacks %q: %s", name, k+1, want, stdout)
				}
			}
		}
	}
}

// The same wavelengths in another unit need no interpolation, and what a library does not cover or names in units
// of another kind is refused.
func TestLibraryWavelengthsOfAnotherKind(t *testing.T) {
	scene := envi(t, sceneBands, wavelengths, scenePixel)
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, "factor", scene, "--rank", "2", "--method", "nmf", "--restarts", "1", "--iterations", "50", "--out", run)
	page := filepath.Join(t.TempDir(), "page.html")
	names := []string{"quartz", "kaolinite"}
	spectrum := func(b, s int) float64 { return float64(1 + (3*b+5*s)%7) }
	library := func(units, list string) string {
		return spectralLibrary(t, strings.Count(list, ",")+1, names, "wavelength units = "+units+"\nwavelength = {"+list+"}\n", spectrum)
	}
	want := succeed(t, "report", run, "--library", spectralLibrary(t, sceneBands, names, wavelengths, spectrum), "--out", page)
	status, stdout, stderr := nmu("report", run, "--library", library("Micrometers", "0.4, 0.4505, 0.5, 0.55, 0.6, 0.65"), "--out", page)
	if status != 0 || stdout != want || strings.Contains(stderr, "interpolated") {
		t.Errorf("status %d, %s%s, want %s", status, stdout, stderr, want)
	}
	fails(t, []string{"--library", "reach from 410 to 700 Nanometers, and row 1 of the run is at 400", "--skip-rows"}, "report", run, "--library", library("Nanometers", "410, 500, 700"), "--out", page)
	fails(t, []string{"row 6 of the run is at 650"}, "report", run, "--library", library("Micrometers", "0.3, 0.5, 0.64"), "--out", page)
	fails(t, []string{"in Wavenumber", "in Nanometers", "does not convert"}, "report", run, "--library", library("Wavenumber", "410, 500, 700"), "--out", page)
	// A run that leaves out the band does not need it.
	without := filepath.Join(t.TempDir(), "without")
	succeed(t, "factor", scene, "--rank", "2", "--method", "nmf", "--restarts", "1", "--iterations", "50", "--skip-rows", textFile(t, "rows.txt", "1\n"), "--out", without)
	succeed(t, "report", without, "--library", library("Nanometers", "410, 500, 700"), "--out", page)
	// Without wavelengths the sizes decide.
	fails(t, []string{"the library has 3"}, "report", run, "--library", npyFile(t, 2, make([]float64, 6)), "--out", page)
}
