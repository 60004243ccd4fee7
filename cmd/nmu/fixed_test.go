package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/record"
)

// What is fixed comes from files or folders of results, is in the report, and comes back.
func TestFactorFixed(t *testing.T) {
	input := textFile(t, "parts.csv", readText(t, "testdata", "parts.csv"))
	dir, again := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "again")
	succeed(t, "factor", input, "--rank", "2", "--out", dir, "--write", "csv")
	args := []string{"factor", input, "--rank", "6", "--method", "gnmu", "--restarts", "1", "--out", again, "--write", "csv"}
	table := succeed(t, append(args, "--fix-v", dir, "--fix-w", filepath.Join(dir, record.NameWTable), "--baseline")...)
	if want := "gnmu, fix v " + dir + ", fix w " + filepath.Join(dir, record.NameWTable) + ", baseline, rank 6"; !strings.Contains(table, want) {
		t.Errorf("%s\nlacks %q", table, want)
	}
	rep := parseReport(t, []byte(readText(t, again, record.NameResult)))
	if how := rep.Settings; how.FixV != dir || how.FixW != filepath.Join(dir, record.NameWTable) || !how.Baseline {
		t.Errorf("result.json has %q, %q, %v", how.FixV, how.FixW, how.Baseline)
	}
	cellsOf := func(dir, name string) (rows [][]string) { // without labels
		for _, line := range strings.Split(strings.TrimSpace(readText(t, dir, name)), "\n")[1:] {
			rows = append(rows, strings.Split(strings.TrimSpace(line), ",")[1:])
		}
		return rows
	}
	for i, row := range cellsOf(dir, record.NameVTable) {
		must.EqualSlices(t, cellsOf(again, record.NameVTable)[i][:2], row, "row", i, "of V begins with")
	}
	w, want := cellsOf(again, record.NameWTable), cellsOf(dir, record.NameWTable)
	if !slices.Equal(w[3], want[0]) || !slices.Equal(w[4], want[1]) {
		t.Errorf("rows of W are %v, want %v", w[3:5], want)
	}
	if slices.ContainsFunc(w[2], func(s string) bool { return s != "1" }) {
		t.Errorf("the row of the baseline is %v", w[2])
	}
}

func TestFactorFixedFails(t *testing.T) {
	script(t, `
-- m.csv 1,2,3\n3,4,5\n5,6,8\n1,1,2\n
-- v.csv 1\n-2\n3\n4\n
-- w.csv 1,-2,3\n
factor m.csv --rank 2 --out broken
`)
	write(t, "broken/V.npy", readText(t, "broken", record.NameW))
	for args, says := range map[string]string{
		"--fix-v nowhere.npy": "--fix-v: ",
		"--fix-v v.csv":       "--fix-v v.csv: row 2, column 1",
		"--fix-w w.csv":       "--fix-w w.csv: row 1, column 2",
		"--fix-v=":            "--fix-v is empty",
		"--fix-w=":            "--fix-w is empty",
		"--fix-v m.csv":       "3 fixed columns of V and 0 fixed rows of W in factors of rank 2",
		"--fix-w m.csv":       "4 fixed rows of W in factors of rank 2",
		"--fix-v broken":      "is not that of result.json",
		"--baseline --method snmf --sparsity-v 0.5": "method snmf with fixed factors",
		"--method gnmu --baseline --feasible final": "feasible final with fixed factors",
	} {
		fails(t, []string{says}, append([]string{"factor", "m.csv", "--rank", "2"}, strings.Fields(args)...)...)
	}
}

// The pictures of --image, whatever their order, are those of --shape-v, and likewise for
// --map.
func TestSmoothPictures(t *testing.T) {
	input := textFile(t, "parts.csv", readText(t, "testdata", "parts.csv")) // 24 x 30
	sums := func(args string) string {
		rep := parseReport(t, []byte(succeed(t, append([]string{"factor", input, "--rank", "2", "--method", "rnmu", "--json"}, strings.Fields(args)...)...)))
		return rep.SHA256V + rep.SHA256W
	}
	for _, same := range [][]string{
		{"--smooth-v 0.1 --shape-v 4x6", "--smooth-v 0.1 --image 6x4", "--smooth-v 0.1 --image 4x6 --image-order rows"},
		{"--smooth-w 0.1 --shape-w 5x6", "--smooth-w 0.1 --map 6x5", "--smooth-w 0.1 --map 5x6 --image-order rows"},
		{"", "--multipliers zero"},
	} {
		for _, args := range same[1:] {
			must.Equal(t, sums(args), sums(same[0]), args, "and", same[0], "differ")
		}
	}
	if sums("--smooth-v 0.1 --image 4x6") == sums("--smooth-v 0.1 --image 6x4") {
		t.Error("the shape of the pictures makes no difference")
	}
}

// A penalty that leaves nothing of a factor is said.
func TestLoweredPenalty(t *testing.T) {
	input := textFile(t, "parts.csv", readText(t, "testdata", "parts.csv"))
	_, stdout, stderr := nmu("factor", input, "--rank", "2", "--method", "rnmu", "--threshold-v", "1", "--json")
	if rep := parseReport(t, []byte(stdout)); !rep.Blocks[0].Lowered || !rep.Blocks[1].Lowered || !strings.Contains(stderr, "the penalty would have left nothing of 2 factors, and was lowered there") {
		t.Errorf("lowered %+v: %s", rep.Blocks, stderr)
	}
}
