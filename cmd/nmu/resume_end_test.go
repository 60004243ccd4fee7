package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"nmu/cmd/nmu/internal/checkpoint"
	"nmu/lnmu"
)

// A run that --time-limit or a signal ends before its first checkpoint was due can be resumed,
// and then ends as a run that was not interrupted.
func TestResumeAfterEnd(t *testing.T) {
	input := swimmerFile(t, false)
	run := []string{"factor", input, "--rank", "12", "--iters", "400", "--restarts", "1", "--seed", "4", "--threads", "1", "--quiet"}
	whole := filepath.Join(t.TempDir(), "whole")
	succeed(t, append(run, "--out", whole)...)
	want := result(t, whole)
	for _, way := range []string{"time", "signal"} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(run, "--checkpoint", "1h", "--out", out)
		if way == "time" {
			nmu(append(args, "--time-limit", "30ms")...)
		} else {
			signalled(t, syscall.SIGTERM, 143, 30*time.Millisecond, args...)
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
		if got := result(t, out); got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W || got.Stop == lnmu.StopTime || got.Rank != want.Rank {
			t.Errorf("%s: %+v, want %+v", way, got, want)
		}
		if checkpoint.Has(out) {
			t.Errorf("%s: the checkpoint is still there", way)
		}
	}
}

// Without --checkpoint, a short run leaves no checkpoint, which would be in the way of the next.
func TestShortRunLeavesNoCheckpoint(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for range 2 {
		succeed(t, "factor", swimmerFile(t, false), "--rank", "4", "--method", "nmf", "--iters", "1000000000", "--restarts", "1", "--time-limit", "20ms", "--out", out, "--quiet")
		if checkpoint.Has(out) {
			t.Fatal("a checkpoint is there")
		}
	}
}
