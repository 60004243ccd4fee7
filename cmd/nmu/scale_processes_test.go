package main

import (
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/record"
	"nmu/lnmu"
)

// TestScaleTopicsProcesses: several processes scale to the bits of one, and write the mixtures.
func TestScaleTopicsProcesses(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	for _, line := range []string{"tall.npy --method kl", "wide.npy --method kl --write csv", "wide.mtx --method nmf"} {
		args := strings.Fields("factor " + line + " --scale topics --rank 3 --iters 5 --restarts 1 --json --quiet --out")
		one, many := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "many")
		want := succeed(t, append(args, one)...)
		status, stdout, stderr := nmuTogether(t, 3, append(args, many, "--mpi")...)
		if status != 0 || stderr != "" {
			t.Fatalf("%s: status %d, %s", line, status, stderr)
		}
		sameRun(t, line, stdout, want)
		for _, name := range []string{record.NameV, record.NameW, record.NameMixtures} {
			if got, want := factorIn[float64](t, many, name), factorIn[float64](t, one, name); lnmu.SHA256(got) != lnmu.SHA256(want) {
				t.Errorf("%s: another %s than that of one process", line, name)
			}
		}
	}
}
