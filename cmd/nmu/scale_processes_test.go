package main

import (
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/record"
	"nmu/lnmu/factors"
)

// TestScaleTopicsProcesses: several processes scale to the bits of one, and write the mixtures.
func TestScaleTopicsProcesses(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	for _, line := range []string{"tall.npy --method kl", "wide.npy --method kl --write csv", "wide.mtx --method nmf"} {
		args := strings.Fields("factor " + line + " --scale topics --rank 3 --iterations 5 --restarts 1 --json --quiet --out")
		one, many := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "many")
		want := succeed(t, append(args, one)...)
		if said := repeated(t, want, 3, false, append(args, many)...); said != "" {
			t.Fatalf("%s: %s", line, said)
		}
		for _, name := range []string{record.NameV, record.NameW, record.NameMixtures} {
			if got, want := factorIn[float64](t, many, name), factorIn[float64](t, one, name); factors.SHA256(got) != factors.SHA256(want) {
				t.Errorf("%s: another %s than that of one process", line, name)
			}
		}
	}
}
