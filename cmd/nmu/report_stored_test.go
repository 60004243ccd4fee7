package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/cmd/nmu/internal/record"
)

// TestReportStored: the page of a run on a matrix that stays in its file shows what it shows of the
// matrix in memory.
func TestReportStored(t *testing.T) {
	type run struct{ path, flags, memory string }
	large := largeFile(t)
	var runs []run
	if os.Getenv("NMU_FULL") != "" { // with less, M fits
		parts := partsFile(t)
		runs = []run{{parts, "--method nmf", "64MB"}, {parts, "--method nmf --mask " + parts, "64MB"}}
	}
	page := func(args ...string) (string, string) {
		out := filepath.Join(t.TempDir(), "out")
		status, _, stderr := nmu(append(args, "--out", out)...)
		text, err := os.ReadFile(filepath.Join(out, record.NameReport))
		if status != 0 || err != nil {
			t.Fatalf("%v: status %d, %v, %s", args, status, err, stderr)
		}
		return regexp.MustCompile(`[0-9.]+ ?(s|ms|seconds?)\b`).ReplaceAllString(string(text), "TIME"), stderr
	}
	for _, r := range runs {
		args := append([]string{"factor", r.path, "--report", "--rank", "2", "--iters", "2", "--restarts", "1", "--threads", "1"}, strings.Fields(r.flags)...)
		want, _ := page(args...)
		got, stderr := page(append(args, "--memory", r.memory, "--scratch", t.TempDir())...)
		if !strings.Contains(stderr, " stays ") {
			t.Errorf("%s: M is in memory: %s", r.flags, stderr)
		}
		if got != want {
			t.Errorf("%s: another page of %d bytes, want %d", r.flags, len(got), len(want))
		}
	}
	fails(t, []string{"more columns than rows", "nmu report makes the page afterwards"}, "factor", large, "--transpose", "--report", "--out", filepath.Join(t.TempDir(), "out"), "--rank", "2", "--method", "nmf", "--memory", "20MB")
}
