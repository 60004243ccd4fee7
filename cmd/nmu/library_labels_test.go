package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/record"
)

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
		if got := nearest(said(table(head, []int{7, 3, 1, 0, 5, 6, 2, 4}))); got != want {
			t.Errorf("header %q: \n%s\nwant\n%s", head, got, want)
		}
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
