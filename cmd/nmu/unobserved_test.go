package main

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/record"
)

// TestTransformUnobserved: a new column without an observed entry gets NaN, with a note, and a row
// without one is none of the rows that count. At rank one the weights of the others are
// <v, m> / <v, v> over the observed rows.
func TestTransformUnobserved(t *testing.T) {
	const rows, cols, empty = 5, 4, 2 // row 3 and column 3
	v := []float64{1, 2, 5, 0.5, 3}
	var m, seen, gaps []float64
	for i := range rows {
		for j := range cols {
			m = append(m, float64(1+(3*i+5*j)%7))
			seen, gaps = append(seen, 1), append(gaps, m[i*cols+j])
			if i == empty || j == empty || i+j == 5 {
				seen[i*cols+j], gaps[i*cols+j] = 0, math.NaN()
			}
		}
	}
	basis, input := npyFile(t, 1, v), npyFile(t, cols, m)
	for name, args := range map[string][]string{
		"mask":    {input, "--mask", npyFile(t, cols, seen)},
		"weights": {input, "--weights", npyFile(t, cols, seen)},
		"gaps":    {npyFile(t, cols, gaps), "--missing", "allow"},
		"rows":    {npyFile(t, cols, gaps), "--missing", "allow", "--transpose"},
	} {
		if name == "rows" {
			var turned []float64
			for j := range cols {
				for i := range rows {
					turned = append(turned, gaps[i*cols+j])
				}
			}
			args[0] = npyFile(t, rows, turned)
		}
		for _, how := range [][]string{nil, {"--feasible"}, {"--sum-to-one"}, {"--divergence"}} {
			out := filepath.Join(t.TempDir(), "out")
			status, _, stderr := nmu(append(append([]string{"transform", basis, "--out", out}, args...), how...)...)
			if want := "nmu: note: left out: 1 column of 4 without an observed entry, whose weights are NaN\n"; status != 0 || stderr != want {
				t.Fatalf("%s %v: status %d, %q", name, how, status, stderr)
			}
			_, _, w := readNpy(t, filepath.Join(out, record.NameW))
			for j := range cols {
				var across, within, least, counts, total float64
				least = math.Inf(1)
				for i := range rows {
					if x := m[i*cols+j]; seen[i*cols+j] != 0 {
						across, within, least = across+v[i]*x, within+v[i]*v[i], min(least, x/v[i])
						counts, total = counts+x, total+v[i]
					}
				}
				want := math.NaN()
				if j != empty {
					want = map[string]float64{"[]": across / within, "[--feasible]": least, "[--sum-to-one]": 1, "[--divergence]": counts / total}[fmt.Sprint(how)]
				}
				if !alike(w[j], want) && !(math.Abs(w[j]-want) <= 1e-9) {
					t.Errorf("%s %v: column %d has the weight %v, want %v", name, how, j+1, w[j], want)
				}
			}
		}
	}
	fails(t, []string{"no observed entry"}, "transform", basis, input, "--mask", npyFile(t, cols, make([]float64, rows*cols)))
}

// TestRankScene: nmu rank leaves out the pixels and bands of a scene that have no observed entry. The
// comparison is that of the matrix without them.
func TestRankScene(t *testing.T) {
	const pixels = sceneHeight * sceneWidth
	var image, kept []float64
	for p := range pixels {
		image = append(image, 1)
		if p == 3 || p == 7 {
			image[p] = 0
		}
	}
	for b := range sceneBands {
		for p, x := range image {
			if x > 0 {
				kept = append(kept, scenePixel(b, p))
			}
		}
	}
	compared := func(args ...string) (rep record.Rank, stderr string) {
		return noted[record.Rank](t, append([]string{"rank", "--ranks", "1:3", "--folds", "3"}, args...)...)
	}
	want, _ := compared(npyFile(t, pixels-2, kept))
	plain := envi(t, sceneBands, "", scenePixel)
	declared := envi(t, sceneBands, fmt.Sprintf("data ignore value = %d\n", ignored), scenePixel)
	for name, args := range map[string][]string{
		"ignore value": {declared, "--missing", "allow"},
		"mask":         {plain, "--mask", npyFile(t, sceneWidth, image)},
		"weights":      {plain, "--weights", npyFile(t, sceneWidth, image)},
	} {
		got, stderr := compared(args...)
		if note := "nmu: note: left out: 2 columns of 12 without an observed entry\n"; !strings.HasSuffix(stderr, note) {
			t.Errorf("%s: printed %q", name, stderr)
		}
		if got.Matrix.Rows != sceneBands || got.Matrix.Cols != pixels || got.Comparison.Rows != sceneBands || got.Comparison.Cols != pixels || got.Observed != len(kept) {
			t.Errorf("%s: %d entries of %d x %d", name, got.Observed, got.Matrix.Rows, got.Matrix.Cols)
		}
		if !reflect.DeepEqual(got.Points, want.Points) || !reflect.DeepEqual(got.Advice, want.Advice) {
			t.Errorf("%s: %+v, want %+v", name, got.HeldOutResult, want.HeldOutResult)
		}
	}
	fails(t, []string{"row 1 of M has no observed entry"}, "rank", plain, "--ranks", "1:2", "--mask", npyFile(t, pixels, make([]float64, sceneBands*pixels)))
}

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
	if !strings.Contains(page, "whose factors are NaN") {
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
