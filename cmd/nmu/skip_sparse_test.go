package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/record"
)

// Rows and columns of a sparse matrix are left out too: the others have the factors of the matrix without
// them, bit for bit.
func TestSkipOfASparseMatrix(t *testing.T) {
	m := textFile(t, "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 13\n1 1 1\n1 2 2\n1 3 900\n1 5 3\n2 1 3\n2 2 5\n2 5 2\n3 1 900\n3 4 900\n4 1 2\n4 3 900\n4 4 3\n4 5 1\n")
	small := textFile(t, "small.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 9\n1 1 1\n1 2 2\n1 4 3\n2 1 3\n2 2 5\n2 4 2\n3 1 2\n3 3 3\n3 4 1\n")
	flags := []string{"--rank", "2", "--method", "nmf", "--iters", "40", "--restarts", "1", "--report", "--out"}
	want, got := filepath.Join(t.TempDir(), "want"), filepath.Join(t.TempDir(), "got")
	succeed(t, append([]string{"factor", small}, append(flags, want)...)...)
	status, _, stderr := nmu(append([]string{"factor", m, "--skip-rows", textFile(t, "rows.txt", "3\n"), "--skip-cols", textFile(t, "cols.txt", "3\n")}, append(flags, got)...)...)
	if status != 0 || !strings.Contains(stderr, "1 row of 4 and 1 column of 5 are left out: their factors are NaN") {
		t.Fatalf("%d, %s", status, stderr)
	}
	v, w := matrixOf(t, filepath.Join(want, record.NameV)), matrixOf(t, filepath.Join(want, record.NameW))
	gotV, gotW := matrixOf(t, filepath.Join(got, record.NameV)), matrixOf(t, filepath.Join(got, record.NameW))
	for k := range 2 {
		for to, from := range []int{0, 1, -1, 2} {
			x := math.NaN()
			if from >= 0 {
				x = v.At(from, k)
			}
			if !alike(gotV.At(to, k), x) {
				t.Errorf("V %d, %d is %v, want %v", to, k, gotV.At(to, k), x)
			}
		}
		for to, from := range []int{0, 1, -1, 2, 3} {
			x := math.NaN()
			if from >= 0 {
				x = w.At(k, from)
			}
			if !alike(gotW.At(k, to), x) {
				t.Errorf("W %d, %d is %v, want %v", k, to, gotW.At(k, to), x)
			}
		}
	}
	if status, _, stderr := nmu("report", got); status != 0 || strings.Contains(stderr, "has changed since") {
		t.Errorf("report: %d, %s", status, stderr)
	}
}
