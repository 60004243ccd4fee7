package main

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nmu/cmd/internal/checkpoint"
	"nmu/lnmu/outcome"
)

// A run that --time-limit or a signal ends before its first checkpoint was due can be resumed,
// and then ends as a run that was not interrupted.
func TestResumeAfterEnd(t *testing.T) {
	input := swimmerFile(t, false)
	run := []string{"factor", input, "--rank", "12", "--iterations", "1000", "--restarts", "1", "--seed", "4", "--threads", "1", "--quiet"}
	whole := filepath.Join(t.TempDir(), "whole")
	succeed(t, append(run, "--out", whole)...)
	want := result(t, whole)
	for _, way := range []string{"time", "signal", "time, by default", "signal, by default"} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(slices.Clone(run), "--out", out)
		way, byDefault := strings.CutSuffix(way, ", by default")
		if !byDefault {
			args = append(args, "--checkpoint-every", "1h")
		}
		if way == "time" {
			nmu(append(args, "--time-limit", "30ms")...)
		} else {
			signalled(t, syscall.SIGTERM, 143, "goes on from its checkpoint", args...)
		}
		if !checkpoint.Has(out) {
			t.Errorf("%s: no checkpoint", way)
			continue
		}
		resume := []string{"resume", out, "--quiet"}
		if way == "time" {
			resume = append(resume, "--time-limit", "10m")
		}
		succeed(t, resume...)
		if got := result(t, out); got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W || got.Stop == outcome.StopTime || got.Rank != want.Rank {
			t.Errorf("%s: %+v, want %+v", way, got, want)
		}
		if checkpoint.Has(out) {
			t.Errorf("%s: the checkpoint is still there", way)
		}
	}
}

// The checkpoint of a short run is in the way of no new run, unless --checkpoint-every was asked for.
// --checkpoint-every 0 leaves none, and neither does a run that ends by itself.
func TestCheckpointOfShortRun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	cut := []string{"factor", swimmerFile(t, false), "--rank", "4", "--method", "nmf", "--restarts", "1", "--iterations", "1000000000", "--time-limit", "20ms", "--out", out, "--quiet"}
	for range 2 {
		succeed(t, cut...)
		if !checkpoint.Has(out) {
			t.Fatal("no checkpoint is there")
		}
	}
	if status, _, stderr := nmu("transform", out, swimmerFile(t, false), "--out", out); status == 0 || !strings.Contains(stderr, "nmu resume") {
		t.Errorf("nmu transform: status %d, %q", status, stderr)
	}
	succeed(t, append(cut, "--checkpoint-every", "0")...)
	if checkpoint.Has(out) {
		t.Error("a checkpoint is there in spite of --checkpoint-every 0")
	}
	succeed(t, cut...)
	succeed(t, append(cut, "--iterations", "2", "--time-limit", "10m")...)
	if checkpoint.Has(out) {
		t.Error("a finished run leaves a checkpoint")
	}
	succeed(t, append(cut, "--checkpoint-every", "1h")...)
	if status, _, stderr := nmu(cut...); status == 0 || !strings.Contains(stderr, "nmu resume") {
		t.Errorf("a run over a checkpoint that was asked for: status %d, %q", status, stderr)
	}
}
