package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/lnmu"
)

// largeFile writes a matrix of 8 MB, in C order.
func largeFile(t *testing.T) string {
	t.Helper()
	m := lnmu.NewDense[float64](100_000, 10, nil)
	for i := range m.Data {
		m.Data[i] = float64(i % 1009 * (i % 1009) % 1009)
	}
	path := filepath.Join(t.TempDir(), "large.npy")
	writeMatrix(t, path, m)
	return path
}

// TestFactorStored: with too little memory M stays in its file, and the result is the same.
func TestFactorStored(t *testing.T) {
	path, scratch := largeFile(t), t.TempDir()
	methods := []string{"gnmu", "nmf", "rnmu --block 2", "gnmu --solver admm", "rnmu --penalty-v 0.1 --sparsity-w 0.3"}
	if os.Getenv("NMU_FULL") == "" {
		methods = methods[:1]
	}
	for _, method := range methods {
		args := append([]string{"factor", path, "--rank", "3", "--iters", "3", "--restarts", "1", "--json", "--method"}, strings.Fields(method)...)
		want := parseReport(t, []byte(succeed(t, args...)))
		_, stdout, stderr := stored(t, 0, append(args, "--scratch", scratch)...)
		got := parseReport(t, []byte(stdout))
		if got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W || got.RelativeError != want.RelativeError {
			t.Errorf("%s has another result from the file: %+v", method, got)
		}
		first, _, _ := strings.Cut(stderr, "\n")
		for _, says := range []string{"M (8 MB) stays in its file: an iteration reads ", " at the speed of the disk", "/s read"} {
			if !strings.Contains(first, says) {
				t.Errorf("%s: no %q in the first line, %s", method, says, first)
			}
		}
		if under := method != "nmf"; strings.Contains(first, scratch) != under {
			t.Errorf("%s: what is said of the scratch file: %s", method, first)
		}
		if left, _ := os.ReadDir(scratch); len(left) > 0 {
			t.Errorf("%s has left %v", method, left)
		}
	}
	if _, _, stderr := nmu("factor", path, "--rank", "3", "--iters", "3", "--restarts", "1", "--memory", "1GB"); strings.Contains(stderr, "stays in its file") {
		t.Errorf("with enough memory: %s", stderr)
	}
}

// TestStoredRefused: what M in its file does not have is refused in one line, before
// anything is written.
func TestStoredRefused(t *testing.T) {
	path := largeFile(t)
	within := needed(t, "factor", "--rank", "3", "--iters", "2", path, "--method", "gnmu", "--memory", "5MB")
	table := textFile(t, "t.csv", strings.Repeat("1,2,3\n4,5,6\n", 40_000))
	for _, c := range []struct{ says, args string }{
		{"factoring it at rank 3 by gnmu, with M in its file and 8.", path + " --method gnmu --memory 5MB"},
		{"of memory; the limit is 5 MB", path + " --method gnmu --memory 5MB"},
		{"--restarts 1 or fewer threads", path + " --method gnmu --memory 5MB"},
		{"are read in double precision", path + " --memory 9MB --precision float32"},
		{"nmu convert --order", table + " --memory 3MB"},
		{"nmu convert writes", table + " --memory 2MB"},
		{"--scratch says where", path + " --scratch /tmp"},
		{"choose one", path + " --memory 1GB --max-memory 1GB"},
		{"no such file or directory", path + " --method gnmu --memory " + fmt.Sprint(within, "B") + " --scratch " + filepath.Join(t.TempDir(), "none")},
	} {
		fails(t, []string{c.says}, append([]string{"factor", "--rank", "3", "--iters", "2"}, strings.Fields(c.args)...)...)
	}
}
