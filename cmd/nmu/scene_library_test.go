package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio/matiotest"
)

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
		if e := result(t, found).RelativeError; !(e < 1e-12) {
			t.Errorf("--init %s: relative error %v", init, e)
		}
	}
	out := succeed(t, "report", found, "--library", library)
	for _, name := range []string{"alunite 0.00°", "calcite 0.00°", "kaolinite 0.00°"} {
		if !strings.Contains(out, "  "+name) {
			t.Errorf("no part is nearest to %s:\n%s", name, out)
		}
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
