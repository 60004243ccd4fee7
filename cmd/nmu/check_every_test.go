package main

import (
	"path/filepath"
	"testing"
)

// TestCheckEvery: a run that goes on checks the tolerance as often as the one that it goes on from,
// on which its bits depend.
func TestCheckEvery(t *testing.T) {
	input, dir := textFile(t, "m.csv", tableOf(false)), t.TempDir()
	first, whole, more := filepath.Join(dir, "first"), filepath.Join(dir, "whole"), filepath.Join(dir, "more")
	args := []string{"factor", input, "--header", "no", "--init", "nested", "--restarts", "1", "--tol", "1e-2", "--check-every", "3"}
	for out, rank := range map[string]string{first: "2", whole: "4"} {
		if status, _, stderr := nmu(append(args, "--rank", rank, "--out", out)...); status != 0 && status != 3 {
			t.Fatalf("status %d, %s", status, stderr)
		}
	}
	if status, _, stderr := nmu("factor", input, "--header", "no", "--rank", "4", "--continue", first, "--out", more); status != 0 && status != 3 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	want, got := result(t, whole), result(t, more)
	if want.CheckEvery != 3 || got.CheckEvery != 3 || got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W {
		t.Errorf("it checks every %d iterations and finds %s %s; a whole run every %d, and %s %s", got.CheckEvery, got.SHA256V, got.SHA256W, want.CheckEvery, want.SHA256V, want.SHA256W)
	}
	fails(t, []string{"--check-every 4", "made with 3"}, "factor", input, "--header", "no", "--rank", "4", "--continue", first, "--check-every", "4")
}
