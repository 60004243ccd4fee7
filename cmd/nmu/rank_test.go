package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// plantedFile writes a matrix of a rank that is to be found, with 5 % of noise, and
// returns the path.
func plantedFile(t *testing.T, rows, cols, rank int) string {
	t.Helper()
	data := dataset.Mixture(rows, cols, rank, 0.05, 1)
	path := filepath.Join(t.TempDir(), "planted.npy")
	writeMatrix(t, path, lnmu.NewDense(rows, cols, data))
	return path
}

// nmu rank and nmu consensus have the flags of all settings of their calls, which set what they say.
func TestSettingsOfComparisons(t *testing.T) {
	m := textFile(t, "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 5 9\n1 1 1\n1 2 2\n2 1 3\n2 3 5\n3 4 2\n4 5 7\n4 1 2\n4 4 3\n3 1 1\n")
	seen := npyFile(t, 5, []float64{1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1})
	args := []string{"consensus", m, "--ranks", "2", "--runs", "3", "--tolerance", "0.1", "--json"}
	found := map[string]bool{}
	for _, more := range []string{"", "--check-every 1", "--mask " + seen, "--missing-solver exact --mask " + seen} {
		rep := parsed[record.Consensus[float64]](t, succeed(t, append(args, strings.Fields(more)...)...))
		found[fmt.Sprint(rep.Settings.CheckEvery, rep.Points[0].Error)] = true
	}
	must.Equal(t, len(found), 4, "the settings make no difference", found)
	fails(t, []string{"a sparse matrix"}, append(args, "--method", "hoyer", "--hoyer-v", "0.5")...)
	succeed(t, append(args, "--method", "hoyer", "--hoyer-v", "0.5", "--dense")...)
}

// The command finds a planted rank, and writes and prints what it found.
func TestRank(t *testing.T) {
	input, out := plantedFile(t, 30, 24, 3), filepath.Join(t.TempDir(), "out")
	table := succeed(t, "rank", input, "--ranks", "1:6", "--iterations", "200", "--out", out)
	contains(t, table, "30 x 24", "nmf, at most 200 iterations, random start, seed 0", "5 folds", "<- advised", "advice: rank 3: ", "runs of the folds", "rank.json, rank.svg, rank.html in "+out)
	holds(t, out, record.NameRankPage, record.NameRank, record.NameRankPlot)
	rep := parsed[record.Rank](t, readText(t, out, record.NameRank))
	if rep.Schema != record.RankSchema || rep.Input != input || rep.Advice.Rank != 3 || len(rep.Points) != 6 || rep.AllRuns != 36 || rep.Finished != 36 ||
		rep.Method != "nmf" || rep.Settings.Iterations != 200 || rep.Folds != 5 || rep.Restarts != 1 || rep.Compared != compare.ComparedFolds {
		t.Errorf("%+v", rep)
	}
	contains(t, readText(t, out, record.NameRankPlot), "held-out error", "stability")
	contains(t, readText(t, out, record.NameRankPage), "Ranks of ", "<svg", "&lt;- advised", "Rank 3 is advised: ")
	for _, threads := range []string{"1", "5"} {
		again := parsed[record.Rank](t, succeed(t, "rank", input, "--ranks", "1:6", "--iterations", "200", "--json", "--threads", threads))
		if !reflect.DeepEqual(again.HeldOutResult, rep.HeldOutResult) {
			t.Errorf("with %s threads: %+v, want %+v", threads, again.HeldOutResult, rep.HeldOutResult)
		}
	}
	rep = parsed[record.Rank](t, succeed(t, "rank", input, "--ranks", "2,3,4,4", "--method", "rnmu", "--inner", "1", "--restarts", "3", "--folds", "1", "--precision", "float32", "--json"))
	if !rep.Prefixes || rep.AllRuns != 3 || rep.Compared != compare.ComparedRestarts || rep.Points[1].HeldOut != nil || rep.Settings.Options["inner"] != "1" || len(rep.Points) != 3 {
		t.Errorf("%+v", rep)
	}
}

// A held-out error that still falls at the largest rank is no advice by itself: here the
// matrix has more factors than were tried, and each is as large as the others.
func TestRankStillFalls(t *testing.T) {
	input := plantedFile(t, 40, 30, 12)
	table := succeed(t, "rank", input, "--ranks", "1:5", "--iterations", "200")
	if !strings.Contains(table, "no clear rank: the held-out error still falls at rank 5, the largest that was tried") || !strings.Contains(table, "try larger ranks") || strings.Contains(table, "<- advised") {
		t.Errorf("%s", table)
	}
}

// What is missing is not held out: numbers that are none, and what a mask says, give the
// same result.
func TestRankMissing(t *testing.T) {
	input := plantedFile(t, 30, 24, 3)
	m := must.Get(readFactor[float64](input))(t)
	mask := lnmu.NewDense[float64](30, 24, nil)
	missing := 0
	for x := range m.Data {
		if mask.Data[x] = 1; x*7%11 == 0 {
			mask.Data[x], m.Data[x] = 0, math.NaN()
			missing++
		}
	}
	dir := t.TempDir()
	gaps, seen := filepath.Join(dir, "gaps.npy"), filepath.Join(dir, "seen.npy")
	writeMatrix(t, gaps, m)
	writeMatrix(t, seen, mask)
	fails(t, []string{"NaN"}, "rank", gaps, "--ranks", "1:5")
	var want *compare.HeldOutResult
	for _, args := range [][]string{{gaps, "--missing", "allow"}, {gaps, "--mask", seen}, {input, "--mask", seen}, {gaps, "--mask", seen, "--missing", "allow"}} {
		rep := parsed[record.Rank](t, succeed(t, append([]string{"rank", "--ranks", "2:4", "--iterations", "100", "--folds", "3", "--json"}, args...)...))
		if rep.Observed != 30*24-missing || rep.Advice.Rank != 3 {
			t.Errorf("%q: %+v", args, rep.HeldOutResult)
		}
		if want == nil {
			want = rep.HeldOutResult
		}
		if !reflect.DeepEqual(rep.HeldOutResult, want) {
			t.Errorf("%q: %+v, want %+v", args, rep.HeldOutResult, want)
		}
	}
}

func TestRankRefused(t *testing.T) {
	input := plantedFile(t, 30, 24, 3)
	fails(t, []string{"one INPUT, got 0"}, "rank", "--ranks", "2")
	fails(t, []string{"--ranks is missing"}, "rank", input)
	fails(t, []string{"of which 24 factors can equal M; choose 1 to"}, "rank", input, "--ranks", "2,50000")
	fails(t, []string{"--folds 0"}, "rank", input, "--ranks", "2", "--folds", "0")
	fails(t, []string{"number of folds 251"}, "rank", input, "--ranks", "2", "--folds", "251")
	fails(t, []string{"--restarts 0"}, "rank", input, "--ranks", "2", "--restarts", "0")
	fails(t, []string{"2 restarts from one start"}, "rank", input, "--ranks", "2", "--restarts", "2", "--init", "svd")
	fails(t, []string{"--init is empty"}, "rank", input, "--ranks", "2", "--init", "")
	fails(t, []string{"--out is empty"}, "rank", input, "--ranks", "2", "--out", "")
	fails(t, []string{"--method pca: choose nmf or "}, "rank", input, "--ranks", "2", "--method", "pca")
	fails(t, []string{"--block is for rnmu"}, "rank", input, "--ranks", "2", "--block", "2")
	fails(t, []string{"--precision half: choose float32 or float64"}, "rank", input, "--ranks", "2", "--precision", "half")
	fails(t, []string{"--threads"}, "rank", input, "--ranks", "2", "--threads", "100000")
	fails(t, []string{"comparing ranks up to 2 by nmf needs", "--max-memory"}, "rank", input, "--ranks", "2", "--max-memory", "1MB")
	fails(t, []string{"bad.csv", "row 2, column 1 of M = -1 is negative"}, "rank", textFile(t, "bad.csv", "1,2\n-1,3\n"), "--ranks", "1", "--folds", "1")
	fails(t, []string{"the time was over before a rank was finished"}, "rank", input, "--ranks", "2", "--iterations", "1000000000", "--time-limit", "10ms")
}

// Ctrl-C keeps the ranks that are finished, and the result says that it is cut short.
func TestInterruptRank(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	stderr := signalled(t, os.Interrupt, 130, " of 96 runs are finished",
		"rank", plantedFile(t, 30, 24, 3), "--ranks", "1:24", "--iterations", "600", "--folds", "2", "--restarts", "2", "--threads", "2", "--force", "--out", out) // a signal too early leaves a checkpoint
	rep := parsed[record.Rank](t, readText(t, out, record.NameRank))
	if rep.Stop != outcome.StopCancelled || rep.Finished >= rep.AllRuns || rep.AllRuns != 24*4 || !strings.Contains(stderr, fmt.Sprintf("interrupted: %d of", rep.Finished)) {
		t.Errorf("%+v, %q", rep, stderr)
	}
}

// docs/rank.md shows what the command gives for generated data, in numbers and as a
// plot.
func TestRankPage(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation without assembly: not with -short")
	}
	out := t.TempDir()
	text := succeed(t, "rank", plantedFile(t, 60, 50, 6), "--ranks", "1:14", "--restarts", "10", "--iterations", "300", "--out", out)
	_, table, ok := strings.Cut(text, "RANKS\n")
	if !ok {
		t.Fatal(text)
	}
	var want strings.Builder
	for line := range strings.Lines(table) {
		want.WriteString("    " + line)
	}
	if page := readText(t, "..", "..", "docs", "rank.md"); !strings.Contains(page, want.String()) {
		t.Errorf("docs/rank.md does not show\n%s", &want)
	}
	must.Equal(t, readText(t, out, record.NameRankPlot), readText(t, "..", "..", "docs", record.NameRankPlot), "docs/rank.svg is not the plot of that")
}

// TestRankWeights: nmu rank takes the weights that nmu factor takes. Noise of little weight does
// not hide the planted rank.
func TestRankWeights(t *testing.T) {
	input := plantedFile(t, 30, 24, 3)
	m := must.Get(readFactor[float64](input))(t)
	weights, mask := lnmu.NewDense[float64](30, 24, nil), lnmu.NewDense[float64](30, 24, nil)
	for i := range m.Rows {
		for j := range m.Row(i) {
			weights.Row(i)[j], mask.Row(i)[j] = 1, 1
			switch {
			case (i+j)%9 == 0:
				weights.Row(i)[j], mask.Row(i)[j] = 0, 0
			case j%4 == 0:
				weights.Row(i)[j] = 1e-6
				m.Row(i)[j] += float64(i * j * 37 % 11)
			}
		}
	}
	dir := t.TempDir()
	noisy, weighing, seen := filepath.Join(dir, "noisy.npy"), filepath.Join(dir, "weights.npy"), filepath.Join(dir, "seen.npy")
	writeMatrix(t, noisy, m)
	writeMatrix(t, weighing, weights)
	writeMatrix(t, seen, mask)
	found := func(args ...string) record.Rank {
		return parsed[record.Rank](t, succeed(t, append([]string{"rank", noisy, "--ranks", "2:4", "--folds", "3", "--json"}, args...)...))
	}
	equal, by := found("--mask", seen), found("--weights", weighing)
	if by.Observed != equal.Observed || !by.Weighted || equal.Weighted {
		t.Errorf("%+v with weights, %+v without", by.HeldOutResult, equal.HeldOutResult)
	}
	if by.Advice.Rank != 3 || equal.Advice.Rank == 3 {
		t.Errorf("rank %d with weights, %d without", by.Advice.Rank, equal.Advice.Rank)
	}
	contains(t, succeed(t, "rank", noisy, "--ranks", "3", "--folds", "1", "--weights", weighing), "with weights")
	turned := filepath.Join(dir, "turned.npy")
	writeMatrix(t, turned, weights.Transposed())
	fails(t, []string{"--weights", "24 x 30"}, "rank", noisy, "--ranks", "3", "--weights", turned)
}

// TestRankAboveSize: nmu rank compares ranks above the sides of the matrix, with the note of nmu factor.
func TestRankAboveSize(t *testing.T) {
	input := textFile(t, "m.csv", "1,2,0\n3,0,1\n0,5,2\n4,1,1\n")
	status, stdout, stderr := nmu("rank", input, "--ranks", "1:5", "--method", "nmf", "--folds", "1", "--iterations", "50")
	if status != 0 || !strings.Contains(stdout, "\n   5 ") || !strings.Contains(stderr, "rank 5 is above 3, the shorter side of the matrix") {
		t.Errorf("status %d, %q, %s", status, stderr, stdout)
	}
}
