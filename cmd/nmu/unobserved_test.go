package main

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
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
			if want := "nmu: note: 1 column of 4 without an observed entry are left out: their weights are NaN\n"; status != 0 || stderr != want {
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
		if note := "nmu: note: 2 columns of 12 without an observed entry are left out\n"; !strings.HasSuffix(stderr, note) {
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
