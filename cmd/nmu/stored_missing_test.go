package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/solve"
	"nmu/lnmu"
)

// gapFiles writes a matrix of 20 columns with NaN in every seventh entry or so, a mask of bytes and
// weights of it, and returns their folder.
func gapFiles(t *testing.T, rows int) string {
	t.Helper()
	const cols = 20
	dir := t.TempDir()
	m, weights := lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, cols, nil)
	head := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols)
	mask := fmt.Appendf(nil, "\x93NUMPY\x01\x00%c\x00%-117s\n", 118, head)
	for i := range rows {
		for j := range cols {
			if m.Row(i)[j] = float64(i * (j + 3) % 1009); (i*i+j)%7 == 2 || i+j == 0 {
				m.Row(i)[j] = math.NaN()
			}
			weights.Row(i)[j] = float64(1 + (i+j)%3)
			mask = append(mask, byte((i+2*j)%5))
		}
	}
	writeMatrix(t, filepath.Join(dir, "gaps.npy"), m)
	writeMatrix(t, filepath.Join(dir, "weights.npy"), weights)
	write(t, filepath.Join(dir, "mask.npy"), string(mask))
	return dir
}

// TestStoredMissing: NaN entries of a matrix that stays in its file are missing, as in memory,
// beside a mask and weights. So they are in several processes.
func TestStoredMissing(t *testing.T) {
	lines := []string{
		"--method nmf --transpose --mask mask.npy", "--method nmf --mask mask.npy --weights weights.npy --missing-solver exact", "--method gnmu", "--method rnmu --transpose",
	}
	runs := []struct {
		rows, processes int
		lines           []string
	}{{50_000, 0, lines[:1]}}
	if os.Getenv("NMU_FULL") != "" {
		runs[0].lines = lines
		runs = append(runs, runs[0])
		runs[0].rows, runs[0].processes, runs[0].lines = 240_000, 3, lines[:2] // processes with less leave no part in the file
	}
	for _, r := range runs {
		t.Chdir(gapFiles(t, r.rows))
		for _, line := range r.lines {
			args := strings.Fields("factor gaps.npy --missing allow --rank 2 --iters 2 --restarts 1 --threads 1 --json " + line)
			want := succeed(t, args...)
			if args = append(args, "--scratch", "."); r.processes > 0 {
				args = append(args, "--mpi")
			}
			status, stdout, stderr := stored(t, r.processes, args...)
			if status != 0 || !strings.Contains(stderr, "stays in its file") {
				t.Fatalf("%s, %d processes: status %d, %s", line, r.processes, status, stderr)
			}
			sameRun(t, fmt.Sprintf("%s, %d processes", line, r.processes), stdout, want)
		}
	}
	args := strings.Fields("factor gaps.npy --rank 2 --iters 2 --restarts 1 --threads 1 --memory")
	within := fmt.Sprint(needed(t, append(args, "1MB")...), "B")
	fails(t, []string{"row 1, column 1 of M = NaN", "--missing allow"}, append(args, within)...)
}

// TestMaskByLines: of a mask beside a matrix that stays in its file, only bits are in memory, not
// the 8 MB of its numbers.
func TestMaskByLines(t *testing.T) {
	path := largeFile(t) // its zeros are missing
	args := []string{"factor", path, "--mask", path, "--rank", "2", "--method", "nmf", "--iters", "2", "--restarts", "1", "--threads", "1", "--json"}
	want := succeed(t, args...)
	_, stdout, stderr := stored(t, 0, args...)
	if !strings.Contains(stderr, "stays in its file") {
		t.Fatal(stderr)
	}
	sameRun(t, "a mask by lines", stdout, want)
}

// TestPartsOfWeights: a process takes the memory of its part of the weights, not of all 8 MB.
func TestPartsOfWeights(t *testing.T) {
	path := largeFile(t) // its zeros are missing
	args := []string{"factor", path, "--weights", path, "--rank", "2", "--method", "nmf", "--missing-solver", "majorize", "--iters", "2", "--restarts", "1", "--threads", "1", "--json", "--quiet"}
	want := succeed(t, args...)
	limit := fmt.Sprint(solve.Process()+19_000_000, "B")
	status, stdout, stderr := nmuTogether(t, 3, append(args, "--mpi", "--max-memory", limit)...)
	if status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	if a, b := parseReport(t, []byte(stdout)), parseReport(t, []byte(want)); a.SHA256V != b.SHA256V || a.SHA256W != b.SHA256W {
		t.Error("another result")
	}
}

// TestPartsOfMasks: each process reads its part of a mask and of weights, in any order of lines and names,
// and they count together: what only one of them misses, and weights that are equal in each part.
func TestPartsOfMasks(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	var names, turned strings.Builder
	for i := range 1009 {
		fmt.Fprintf(&names, "r%d\n", i)
		fmt.Fprintf(&turned, "r%d", 1008-i)
		for j := range 12 {
			fmt.Fprintf(&turned, ",%d", (1008-i+j)%4)
		}
		turned.WriteString("\n")
	}
	ones, levels := lnmu.NewDense[float64](1009, 12, nil), lnmu.NewDense[float64](1009, 12, nil)
	for i := range ones.Rows {
		for j := range ones.Cols {
			ones.Row(i)[j], levels.Row(i)[j] = 2, float64(1+i/512)
		}
	}
	writeMatrix(t, "ones.npy", ones)
	writeMatrix(t, "levels.npy", levels)
	for name, text := range map[string]string{"names.txt": names.String(), "turned.csv": turned.String()} {
		write(t, name, text)
	}
	for _, line := range []string{
		"tall.npy --method nmf --row-names names.txt --mask turned.csv", "tall.npy --method nmf --mask ones.npy --weights ones.npy",
		"tall.npy --method nmf --weights levels.npy", "tall.npy --method nmf --transpose --mask mask.npy --weights levels.npy",
		"tall.npy --method gnmu --mask ones.npy --weights weights.npy",
	} {
		args := strings.Fields("factor " + line + " --rank 2 --iters 3 --restarts 1 --threads 1 --json --quiet")
		want := succeed(t, args...)
		status, stdout, stderr := nmuTogether(t, 3, append(args, "--mpi")...)
		if status != 0 {
			t.Errorf("%s: status %d, %s", line, status, stderr)
			continue
		}
		sameRun(t, line, stdout, want)
	}
	for line, says := range map[string]string{
		"tall.npy --mask gaps.npy":                                 "--mask: row 1001, column 8 of gaps.npy is no number",
		"tall.npy --weights gaps.npy":                              "--weights gaps.npy: ",
		"tall.npy --method nmf --mask ones.npy --weights gaps.npy": "--weights gaps.npy: ",
	} {
		status, _, stderr := nmuTogether(t, 3, strings.Fields("factor "+line+" --rank 2 --mpi")...)
		if status == 0 || !strings.Contains(stderr, says) {
			t.Errorf("%s: status %d, %s", line, status, stderr)
		}
	}
}
