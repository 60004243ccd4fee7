package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/must"
)

// largeFile writes a matrix of 8 MB, in C order.
func largeFile(t *testing.T) string {
	t.Helper()
	return squaresFile(t, 100_000, 10)
}

// partsFile writes a matrix of 38 MB to a folder, in C order, of which three processes hold their parts
// in the file with less memory than in memory.
func partsFile(t *testing.T) string {
	t.Helper()
	return squaresFile(t, 60_000, 80)
}

func squaresFile(t *testing.T, rows, cols int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "large.npy")
	writeMatrix(t, path, entries(rows, cols, func(i int) float64 { return float64(i % 1009 * (i % 1009) % 1009) }))
	return path
}

// TestStored: with too little memory M stays in its file or folder, also in several processes, and with NaN
// entries, masks, weights and --improve, and the result is the same. Of a mask only bits are in memory, not the 8 MB
// of its numbers. The first line says what an iteration reads and writes.
func TestStored(t *testing.T) {
	inFile, inFolder := " (8 MB) stays in its file: an iteration reads ", ") stays on disk, in files of "
	dense := func(t *testing.T) string { return largeFile(t) }
	folder := func(each int, transposed bool) func(t *testing.T) string {
		return func(t *testing.T) string { return largeFolder(t, each, transposed) }
	}
	gaps := func(rows int) func(t *testing.T) string {
		return func(t *testing.T) string { return filepath.Join(gapFiles(t, rows), "gaps.npy") }
	}
	for _, c := range []struct {
		full    bool // with NMU_FULL only
		n       int  // processes
		path    func(t *testing.T) string
		says    string
		methods []string
	}{
		{false, 0, dense, inFile, []string{"gnmu"}},
		{true, 0, dense, inFile, []string{"nmf", "rnmu --block 2", "gnmu --solver admm", "rnmu --threshold-v 0.1 --sparsity-w 0.3", "nmf --improve", "rnmu --transpose --improve"}},
		{false, 0, dense, inFile, []string{"nmf --mask PATH", "gnmu --missing-value 0,9"}}, // its zeros are missing
		{false, 0, folder(20, false), inFolder, []string{"gnmu"}},
		{true, 0, folder(20, false), inFolder, []string{"nmf", "rnmu --block 2", "gnmu --improve"}},
		{true, 0, folder(20, true), inFolder, []string{"rnmu", "gnmu --solver admm --inner 1", "gnmu"}},
		{true, 3, folder(50, false), inFolder, []string{"gnmu", "nmf"}},
		{true, 3, folder(50, true), inFolder, []string{"gnmu", "nmf"}},
		{false, 3, partsFile, "M (38.4 MB) stays in its file: an iteration reads ", []string{"gnmu"}},
		{true, 3, partsFile, "M (38.4 MB) stays in its file: an iteration reads ", []string{"nmf", "rnmu --block 2 --transpose", "gnmu --solver admm"}},
		{false, 0, gaps(50_000), " stays in its file", []string{"nmf --missing allow --transpose --mask mask.npy"}},
		{true, 0, gaps(50_000), " stays in its file", []string{"nmf --missing allow --mask mask.npy --weights weights.npy --missing-solver exact", "gnmu --missing allow", "rnmu --missing allow --transpose"}},
		{true, 3, gaps(240_000), " stays in its file", []string{"nmf --missing allow --transpose --mask mask.npy", "nmf --missing allow --mask mask.npy --weights weights.npy --missing-solver exact"}}, // processes with less leave no part in the file
	} {
		if c.full && os.Getenv("NMU_FULL") == "" {
			continue
		}
		path := c.path(t)
		dir := t.TempDir()
		t.Chdir(dir)
		for _, beside := range []string{"mask.npy", "weights.npy"} {
			os.Link(filepath.Join(filepath.Dir(path), beside), beside)
		}
		before := names(t, ".")
		for _, method := range c.methods {
			args := strings.Fields("factor " + path + " --rank 3 --iterations 2 --restarts 1 --threads 1 --json --method " + strings.ReplaceAll(method, "PATH", path))
			first := regexp.MustCompile(".* stays .*").FindString(repeated(t, succeed(t, args...), c.n, true, args...))
			says := []string{c.says, " at the speed of ", "/s read"}
			if c.n > 0 {
				says = []string{c.says, fmt.Sprintf(" in each of %d processes", c.n)}
			}
			for _, says := range says {
				must.Say(t, first, says, method)
			}
			writes := !strings.HasPrefix(method, "nmf")
			if c.n == 0 && (c.says == inFolder && (strings.Contains(first, " and writes ") != writes || !strings.Contains(first, dir)) || c.says == inFile && !strings.Contains(method, "--improve") && !strings.Contains(method, "--mask") && strings.Contains(first, dir) != writes) {
				t.Errorf("%s: what is said of writing: %s", method, first)
			}
			must.EqualSlices(t, names(t, "."), before, method, "has left")
		}
	}
	path := largeFile(t)
	if _, _, stderr := nmu("factor", path, "--rank", "3", "--iterations", "3", "--restarts", "1", "--memory", "1GB"); strings.Contains(stderr, "stays in its file") {
		t.Errorf("with enough memory: %s", stderr)
	}
}

// TestStoredRefused: what M in its file does not have is refused in one line, before
// anything is written.
func TestStoredRefused(t *testing.T) {
	path := largeFile(t)
	within := needed(t, "factor", "--rank", "3", "--iterations", "2", path, "--method", "gnmu", "--memory", "5MB")
	table := textFile(t, "t.csv", strings.Repeat("1,2,3\n4,5,6\n", 40_000))
	for _, c := range []struct{ says, args string }{
		{"factoring it at rank 3 by gnmu, with M in its file and 8.", path + " --method gnmu --threads 2 --memory 5MB"},
		{"of memory; the limit is 5 MB", path + " --method gnmu --threads 2 --memory 5MB"},
		{"the limit is 5 MB (--memory sets it)\n", path + " --memory 5MB"},
		{"--restarts 1 or fewer threads", path + " --method gnmu --threads 2 --memory 5MB"},
		{"are read in double precision", path + " --memory 9MB --precision float32"},
		{"nmu convert --order", table + " --memory 3MB"},
		{"nmu convert writes a file that can stay where it is (--memory sets it)", table + " --memory 2MB"},
		{"--scratch says where", path + " --scratch /tmp"},
		{"choose one", path + " --memory 1GB --max-memory 1GB"},
		{"no such file or directory", path + " --method gnmu --memory " + fmt.Sprint(within, "B") + " --scratch " + filepath.Join(t.TempDir(), "none")},
	} {
		fails(t, []string{c.says}, append([]string{"factor", "--rank", "3", "--iterations", "2"}, strings.Fields(c.args)...)...)
	}
}
