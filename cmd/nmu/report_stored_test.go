package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/record"
)

// changing matches what a page says of the times and the processes of a run.
var changing = regexp.MustCompile(`[0-9.e+-]+ ?(s|ms|seconds?)\b(, [0-9]+ processes of [0-9]+ threads?)?(, [0-9]+ threads?)?`)

// pageOf runs nmu factor with --report and returns the page, without what changes from run to run, and
// what is said on stderr. With several processes, n is their number.
func pageOf(t *testing.T, n int, run func(t *testing.T, n int, args ...string) (status int, stdout, stderr string), args ...string) (page, stderr string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	args = append(args, "--report", "--rank", "2", "--iterations", "2", "--restarts", "1", "--threads", "1", "--out", out)
	if n > 0 {
		args = append(args, "--mpi")
	}
	status, _, stderr := run(t, n, args...)
	text, err := os.ReadFile(filepath.Join(out, record.NameReport))
	if status != 0 || err != nil {
		t.Errorf("%v, %d processes: status %d, %v, %s", args, n, status, err, stderr)
	}
	return changing.ReplaceAllString(string(text), "TIME"), stderr
}

// TestReportStored: the page of a run on a matrix that stays in its files, tall or wide, dense or
// sparse, is that of the same run in memory.
func TestReportStored(t *testing.T) {
	type run struct {
		line      string
		processes int
	}
	large := largeFile(t)
	runs := []run{{large + " --method nmf --transpose", 0}}
	if os.Getenv("NMU_FULL") != "" {
		parts, tall, wide := partsFile(t), largeFolder(t, 100, false), largeFolder(t, 40, true)
		runs = append(runs,
			run{large + " --method nmf", 0}, run{large + " --method nmf --mask " + large, 0},
			run{large + " --method rnmu --transpose --mask " + large, 0}, run{large + " --method gnmu --transpose", 0},
			run{wide + " --method nmf", 0},
			run{parts + " --method gnmu", 3}, run{parts + " --method gnmu --transpose --mask " + parts, 3},
			run{tall + " --method gnmu", 2})
	}
	for _, r := range runs {
		args := append([]string{"factor"}, strings.Fields(r.line)...)
		want, _ := pageOf(t, 0, inMemory, args...)
		got, stderr := pageOf(t, r.processes, stored, append(args, "--scratch", t.TempDir())...)
		if !strings.Contains(stderr, " stays ") {
			t.Errorf("%s, %d processes: M is in memory: %s", r.line, r.processes, stderr)
		}
		if got != want {
			t.Errorf("%s, %d processes: another page of %d bytes, want %d", r.line, r.processes, len(got), len(want))
		}
	}
}

// TestReportProcesses: process 0 writes the page that one process writes, of a matrix that the processes
// share.
func TestReportProcesses(t *testing.T) {
	dir := t.TempDir()
	sampled(t, dir)
	t.Chdir(dir)
	cubeFile(t, "scene.npy", 25, 20, 6, func(p int) bool { return p%9 == 4 || p > 300 && p < 390 })
	lines := []string{
		"scene.npy --method nmf --missing allow",
		"tall.npy --method rnmu", "wide.npy --method nmf --precision float32", "small.npy --method nmf",
		"tall.npy --method nmf --transpose --mask mask.npy", "gaps.npy --method gnmu --missing allow",
		"tall.mtx --method nmf", "wide.mtx --method gnmu", "wide.mtx --method nmf --sparse-missing",
	}
	processes := []int{3}
	if os.Getenv("NMU_FULL") != "" {
		processes = []int{1, 2, 7}
		lines = append(lines, "tall.npy --method nmf --mask mask.npy --weights weights.npy", "tall.mtx --dense --method kl", "tall.csv --method nmf", "tall.npy --method nmf --scale topics", "wide.npy --method nmf --scale topics --improve")
	}
	for _, line := range lines {
		args := append([]string{"factor"}, strings.Fields(line)...)
		want, _ := pageOf(t, 0, inMemory, args...)
		for _, n := range processes {
			if got, _ := pageOf(t, n, inMemory, args...); got != want {
				t.Errorf("%s, %d processes: another page of %d bytes, want %d", line, n, len(got), len(want))
			}
		}
	}
}
