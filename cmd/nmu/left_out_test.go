package main

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/cmd/internal/record"
)

// alike reports whether two numbers are equal, or both NaN.
func alike(x, y float64) bool { return x == y || x != x && y != y }

// A basis with rows that its run has left out finds the weights that the other rows have, of a dense and
// of a sparse matrix.
func TestTransformByABasisWithRowsLeftOut(t *testing.T) {
	m := textFile(t, "m.csv", "gene,s1,s2,s3,s4\na,1,2,4,3\nb,3,5,1,2\nc,900,900,900,900\nd,2,2,3,1\n")
	small := textFile(t, "small.csv", "gene,s1,s2,s3,s4\na,1,2,4,3\nb,3,5,1,2\nd,2,2,3,1\n")
	sparse := textFile(t, "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 16\n1 1 1\n1 2 2\n1 3 4\n1 4 3\n2 1 3\n2 2 5\n2 3 1\n2 4 2\n3 1 900\n3 2 900\n3 3 900\n3 4 900\n4 1 2\n4 2 2\n4 3 3\n4 4 1\n")
	for _, method := range []string{"nmf", "kl"} {
		flags := []string{"--rank", "2", "--method", method, "--iters", "40", "--restarts", "1", "--out"}
		whole, part := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "part")
		succeed(t, append([]string{"factor", small}, append(flags, part)...)...)
		succeed(t, append([]string{"factor", m, "--skip-rows", textFile(t, "rows.txt", "c\n")}, append(flags, whole)...)...)
		want := filepath.Join(t.TempDir(), "want")
		succeed(t, "transform", part, small, "--out", want)
		for _, input := range []string{m, sparse} {
			got := filepath.Join(t.TempDir(), "got")
			status, _, stderr := nmu("transform", whole, input, "--out", got)
			if status != 0 || !strings.Contains(stderr, "BASIS has left out 1 row of 4, whose entries do not count") {
				t.Fatalf("%s: %d, %s", input, status, stderr)
			}
			if readText(t, got, record.NameW) != readText(t, want, record.NameW) {
				t.Errorf("%s of %s: other weights than those of the rows that are left", method, input)
			}
		}
		fails(t, []string{"--init", "its run left out 1 row of 4"}, "factor", m, "--rank", "2", "--method", method, "--init", whole)
	}
	first := filepath.Join(t.TempDir(), "first")
	succeed(t, "factor", m, "--rank", "1", "--init", "nested", "--restarts", "1", "--skip-rows", textFile(t, "rows.txt", "c\n"), "--out", first)
	fails(t, []string{"--continue", "left out 1 row of 4", "begin a new one"}, "factor", m, "--rank", "2", "--continue", first)
}

// The pixels of a scene that are left out are transparent in the maps, and no other ones.
func TestMapsAreBlankWherePixelsAreLeftOut(t *testing.T) {
	seen := make([]float64, sceneHeight*sceneWidth)
	for p := range seen {
		if p != 3 && p != 7 {
			seen[p] = 1
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", envi(t, sceneBands, "", scenePixel), "--rank", "2", "--method", "nmf", "--mask", npyFile(t, sceneWidth, seen), "--write", "csv,envi", "--report", "--out", out)
	file, err := os.Open(filepath.Join(out, record.NameMaps))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	clear := 0
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if _, _, _, alpha := picture.At(x, y).RGBA(); alpha == 0 {
				clear++
			}
		}
	}
	const zoom = 22 // of 3 x 4 pixels
	if want := 2 * 2 * zoom * zoom; clear != want {
		t.Errorf("%d pixels of %s are transparent, want %d", clear, record.NameMaps, want)
	}
	if _, _, cube := readNpy(t, filepath.Join(out, record.NameW)); !math.IsNaN(cube[3]) || math.IsNaN(cube[4]) {
		t.Errorf("W is %v", cube)
	}
	page := readText(t, out, record.NameReport)
	if !regexp.MustCompile(`left out: their factors are NaN`).MatchString(page) {
		t.Error("the page has no note about what is left out")
	}
	// The page made from the files is the same, pictures and all.
	again := filepath.Join(t.TempDir(), "again.html")
	succeed(t, "report", out, "--out", again)
	maps := regexp.MustCompile(`(?s)<section id="weights".*?</section>`)
	if a, b := maps.FindString(page), maps.FindString(readText(t, filepath.Dir(again), "again.html")); a == "" || a != b {
		t.Errorf("the maps of the page differ when it is made again (%d, %d bytes)", len(a), len(b))
	}
}
