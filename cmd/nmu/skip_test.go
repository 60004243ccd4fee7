package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Rows and columns that a file lists are left out of a run, whose factors are those of the matrix
// without them; there they are NaN.
func TestSkip(t *testing.T) {
	m := textFile(t, "m.csv", "gene,s1,s2,s3,s4,s5\na,1,2,900,4,3\nb,3,5,900,1,2\nc,900,900,900,900,900\nd,2,2,900,3,1\n")
	small := textFile(t, "small.csv", "gene,s1,s2,s4,s5\na,1,2,4,3\nb,3,5,1,2\nd,2,2,3,1\n")
	flags := []string{"--rank", "2", "--method", "nmf", "--iterations", "40", "--restarts", "1"}
	want := filepath.Join(t.TempDir(), "want")
	succeed(t, append([]string{"factor", small, "--out", want}, flags...)...)
	rows := textFile(t, "rows.txt", "c\n\n")
	for name, skip := range map[string][]string{
		"names":   {"--skip-rows", rows, "--skip-cols", textFile(t, "cols.txt", "s3\n")},
		"numbers": {"--skip-rows", textFile(t, "rows", "3\n"), "--skip-cols", textFile(t, "cols", "3\n")},
		"marks":   {"--skip-rows", rows, "--skip-cols", npyFile(t, 1, []float64{0, 0, 1, 0, 0})},
		"a row":   {"--skip-rows", rows, "--skip-cols", npyFile(t, 5, []float64{0, 0, 1, 0, 0})},
	} {
		out := filepath.Join(t.TempDir(), "out")
		status, _, stderr := nmu(append(append([]string{"factor", m, "--out", out}, flags...), skip...)...)
		if status != 0 || !strings.Contains(stderr, "left out: 1 row of 4 and 1 column of 5 without an observed entry") {
			t.Fatalf("%s: %d, %s", name, status, stderr)
		}
		sameButLeftOut(t, name, want, out, func(i int) bool { return i == 2 }, func(j int) bool { return j == 2 })
		contains(t, succeed(t, "report", out), "report.html")
		succeed(t, append([]string{"rank", m, "--ranks", "1:2", "--iterations", "20", "--folds", "2"}, skip...)...)
		succeed(t, append([]string{"transform", out, m}, skip...)...)
		sure := filepath.Join(t.TempDir(), "sure")
		succeed(t, append([]string{"consensus", m, "--ranks", "2", "--runs", "3", "--iterations", "20", "--out", sure}, skip...)...)
		if table := readText(t, sure, "V-2.csv"); strings.Contains(table, "\nc,") || !strings.Contains(table, "\nd,") {
			t.Errorf("%s: %s", name, table)
		}
	}
	fails(t, []string{"--skip-rows", "rows.txt: line 1", `"x" is no name of a row, and no number from 1 to 4`}, "factor", m, "--rank", "1", "--skip-rows", textFile(t, "rows.txt", "x\n"))
	numbered := textFile(t, "numbered.csv", "id,s1,s2,s3\n2,1,2,3\n4,3,5,1\n6,2,2,2\n3,1,2,2\n")
	for lines, left := range map[string]string{"1\n2\n4\n": "numbers", "2\n6\n": "names", "+1\n+2\n": "numbers", "2\n4\n": "also numbers of others", "3\n4\n": "also numbers of others", "2\n4\nx\n": `line 3: "x" is no name of a row, as others are`} {
		status, _, stderr := nmu("factor", numbered, "--rank", "1", "--method", "nmf", "--skip-rows", textFile(t, "rows.txt", lines), "--out", filepath.Join(t.TempDir(), "out"), "--top", "4")
		n := strings.Count(lines, "\n")
		switch ok := map[string]bool{"numbers": true, "names": true}[left]; {
		case ok != (status == 0), !ok && !strings.Contains(stderr, left), ok && !strings.Contains(stderr, fmt.Sprintf("%d rows of 4 without", n)), strings.Contains(stderr, "taken for numbers") != (lines == "1\n2\n4\n"):
			t.Errorf("%q: status %d, %s", lines, status, stderr)
		}
	}
	fails(t, []string{"--skip-cols", "no number from 1 to 5"}, "factor", m, "--rank", "1", "--skip-cols", textFile(t, "cols.txt", "6\n"))
	fails(t, []string{"--skip-cols", "a number for each of 5 columns"}, "factor", m, "--rank", "1", "--skip-cols", npyFile(t, 1, []float64{0, 1}))
	fails(t, []string{"--skip-rows: it leaves out all rows"}, "factor", m, "--rank", "1", "--skip-rows", textFile(t, "rows.txt", "1\n2\n3\n4\n"))
	fails(t, []string{"--dense makes a dense one"}, "factor", textFile(t, "s.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n"), "--rank", "1", "--sparse-missing", "--skip-rows", textFile(t, "rows.txt", "1\n"))
}

// An image of the size of a scene marks the pixels to leave out.
func TestSkipPixels(t *testing.T) {
	const pixels = sceneHeight * sceneWidth
	skip, seen := make([]float64, pixels), make([]float64, pixels)
	for p := range pixels {
		if seen[p] = 1; p == 3 || p == 7 {
			skip[p], seen[p] = 1, 0
		}
	}
	plain := "factor " + envi(t, sceneBands, "", scenePixel) + " --rank 2 --method nmf --restarts 1 --iterations 30"
	script(t, plain+" --out want --mask "+npyFile(t, sceneWidth, seen)+"\n"+
		plain+" --out got --skip-cols "+npyFile(t, sceneWidth, skip)+" | got/V.npy same: want/V.npy | got/W.npy same: want/W.npy")
}

// Rows and columns of a sparse matrix are left out too: the others have the factors of the matrix without
// them, bit for bit.
func TestSkipOfASparseMatrix(t *testing.T) {
	m := textFile(t, "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 13\n1 1 1\n1 2 2\n1 3 900\n1 5 3\n2 1 3\n2 2 5\n2 5 2\n3 1 900\n3 4 900\n4 1 2\n4 3 900\n4 4 3\n4 5 1\n")
	small := textFile(t, "small.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 9\n1 1 1\n1 2 2\n1 4 3\n2 1 3\n2 2 5\n2 4 2\n3 1 2\n3 3 3\n3 4 1\n")
	flags := []string{"--rank", "2", "--method", "nmf", "--iterations", "40", "--restarts", "1", "--report", "--out"}
	want, got := filepath.Join(t.TempDir(), "want"), filepath.Join(t.TempDir(), "got")
	succeed(t, append([]string{"factor", small}, append(flags, want)...)...)
	status, _, stderr := nmu(append([]string{"factor", m, "--skip-rows", textFile(t, "rows.txt", "3\n"), "--skip-cols", textFile(t, "cols.txt", "3\n")}, append(flags, got)...)...)
	if status != 0 || !strings.Contains(stderr, "left out: 1 row of 4 and 1 column of 5, whose factors are NaN") {
		t.Fatalf("%d, %s", status, stderr)
	}
	sameButLeftOut(t, "sparse", want, got, func(i int) bool { return i == 2 }, func(j int) bool { return j == 2 })
	if status, _, stderr := nmu("report", got); status != 0 || strings.Contains(stderr, "has changed since") {
		t.Errorf("report: %d, %s", status, stderr)
	}
}
