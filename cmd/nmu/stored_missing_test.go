package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/work"
	"nmu/lnmu"
)

// gapFiles writes a matrix of 20 columns with NaN in every seventh entry or so, a mask of bytes and
// weights of it, and returns their folder.
func gapFiles(t *testing.T, rows int) string {
	t.Helper()
	const cols = 20
	dir := t.TempDir()
	m, weights := lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, cols, nil)
	var mask []byte
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
	write(t, filepath.Join(dir, "mask.npy"), npy("|u1", fmt.Sprintf("(%d, %d)", rows, cols), mask))
	return dir
}

// TestStoredGapsRefused: NaN entries of a matrix that stays in its file are refused unless they may be missing.
func TestStoredGapsRefused(t *testing.T) {
	t.Chdir(gapFiles(t, 50_000))
	args := strings.Fields("factor gaps.npy --rank 2 --iterations 2 --restarts 1 --threads 1 --memory")
	within := fmt.Sprint(needed(t, append(args, "1MB")...), "B")
	fails(t, []string{"row 1, column 1 of M = NaN", "--missing allow"}, append(args, within)...)
}

// TestPartsOfWeights: a process takes the memory of its part of the weights, not of all 8 MB. The rows of its copy of M
// have 16 numbers instead of 10, as they fill cache lines.
func TestPartsOfWeights(t *testing.T) {
	path := largeFile(t) // its zeros are missing
	args := []string{"factor", path, "--weights", path, "--rank", "2", "--method", "nmf", "--solver", "hals", "--missing-solver", "majorize", "--iterations", "2", "--restarts", "1", "--threads", "1", "--json", "--quiet"}
	want := succeed(t, args...)
	limit := fmt.Sprint(work.Process()+21_000_000, "B")
	repeated(t, want, 3, false, append(args, "--max-memory", limit)...)
}
