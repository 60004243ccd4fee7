package main

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/record"
)

// alike reports whether two numbers are equal, or both NaN.
func alike(x, y float64) bool { return x == y || x != x && y != y }

// A basis with rows that its run has left out finds the weights that the other rows have, of a dense and
// of a sparse matrix.
func TestTransformByABasisWithRowsLeftOut(t *testing.T) {
	for _, method := range []string{"nmf", "kl"} {
		script(t, strings.ReplaceAll(`
-- m.csv gene,s1,s2,s3,s4\na,1,2,4,3\nb,3,5,1,2\nc,900,900,900,900\nd,2,2,3,1\n
-- small.csv gene,s1,s2,s3,s4\na,1,2,4,3\nb,3,5,1,2\nd,2,2,3,1\n
-- m.mtx %%MatrixMarket matrix coordinate real general\n4 4 16\n1 1 1\n1 2 2\n1 3 4\n1 4 3\n2 1 3\n2 2 5\n2 3 1\n2 4 2\n3 1 900\n3 2 900\n3 3 900\n3 4 900\n4 1 2\n4 2 2\n4 3 3\n4 4 1\n
-- rows.txt c\n
factor small.csv --rank 2 --method METHOD --iterations 40 --restarts 1 --out part
factor m.csv --skip-rows rows.txt --rank 2 --method METHOD --iterations 40 --restarts 1 --out whole
transform part small.csv --out want
transform whole m.csv --out got | notes: BASIS has left out 1 row of 4, whose entries do not count | got/W.npy same: want/W.npy
transform whole m.mtx --out got | notes: BASIS has left out 1 row of 4, whose entries do not count | got/W.npy same: want/W.npy
factor m.csv --rank 2 --method METHOD --init whole | refused: --init | its run left out 1 row of 4
factor m.csv --rank 1 --method rnmu --init nested --restarts 1 --skip-rows rows.txt --out first
factor m.csv --rank 2 --continue first | refused: --continue | left out 1 row of 4 | begin a new one
`, "METHOD", method))
	}
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
	picture, clear := pictureOf(t, out, record.NameMaps), 0
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
