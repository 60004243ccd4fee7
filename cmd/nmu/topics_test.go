package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/record"
)

// TestScaleTopicsCommand: --scale topics writes distributions, W with V W ≈ M, and the
// mixtures as proportions; a later run without it removes these.
func TestScaleTopicsCommand(t *testing.T) {
	dir := t.TempDir()
	input := textFile(t, "counts.csv", "word,a,b,c,d\nred,5,0,1,7\ngreen,3,2,0,4\nblue,0,6,4,1\nwhite,1,8,5,0\n")
	args := []string{"factor", input, "--rank", "2", "--method", "kl", "--restarts", "1", "--out", dir, "--write", "csv,mat"}
	succeed(t, append(args, "--report", "--scale", "topics")...)
	v := factorIn[float64](t, dir, record.NameV)
	w := factorIn[float64](t, dir, record.NameW)
	mixtures := factorIn[float64](t, dir, record.NameMixtures)
	for k := range 2 {
		var sum float64
		for i := range 4 {
			sum += v.At(i, k)
		}
		must.AtMost(t, math.Abs(sum-1), 1e-15, "topic", k+1, "adds up to")
	}
	for j, count := range []float64{9, 16, 10, 12} {
		total := w.At(0, j) + w.At(1, j)
		if math.Abs(total/count-1) > 1e-3 { // at an optimum V W has the column sums of M
			t.Errorf("column %d of W adds up to %v, of M to %v", j+1, total, count)
		}
		for k := range 2 {
			if got, want := mixtures.At(k, j), w.At(k, j)/total; math.Abs(got-want) > 1e-15 {
				t.Errorf("mixture (%d, %d) is %v, want %v", k+1, j+1, got, want)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, record.NameMixturesTable))
	if head, _, _ := strings.Cut(string(text), "\n"); err != nil || !strings.Contains(head, "a,b,c,d") {
		t.Errorf("%s begins with %q, error %v", record.NameMixturesTable, head, err)
	}
	succeed(t, "report", dir, "--force")
	succeed(t, args...)
	if got := names(t, dir); slices.Contains(got, record.NameMixtures) || slices.Contains(got, record.NameMixturesTable) {
		t.Errorf("files of a run without --scale: %v", got)
	}

	for _, x := range []struct {
		says string
		args string
	}{
		{"--scale rows: choose topics", "--scale rows --method kl"},
		{"V W <= M would not hold exactly after it", "--scale topics --method gnmu"},
		{"--scale topics changes what --sum-to-one asks for", "--scale topics --method nmf --sum-to-one w"},
		{"--scale topics changes what --baseline asks for", "--scale topics --method kl --baseline"},
	} {
		fails(t, []string{x.says}, append([]string{"factor", input, "--rank", "2"}, strings.Fields(x.args)...)...)
	}
}
