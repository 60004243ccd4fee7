package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/internal/memory"
	"nmu/internal/must"
)

// needed returns the memory that a refused command line is said to need, rounded up by as
// much as the message may have rounded it down.
func needed(t *testing.T, args ...string) int64 {
	t.Helper()
	status, _, stderr := nmu(args...)
	return neededBy(t, status, stderr)
}

// neededBy is needed for a command line that has run.
func neededBy(t *testing.T, status int, stderr string) int64 {
	t.Helper()
	found := regexp.MustCompile(`needs ([0-9.]+ [kMG]?B) of memory`).FindStringSubmatch(stderr)
	if status != exit.StatusError || found == nil {
		t.Fatalf("status %d, %s", status, stderr)
	}
	n := must.Get(memory.Parse(found[1]))(t)
	return n + n/200
}

// inMemory runs nmu in so many processes, or alone if there are 0.
func inMemory(t *testing.T, processes int, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	if processes == 0 {
		return nmu(args...)
	}
	return nmuTogether(t, processes, args...)
}

// stored runs nmu in so many processes, or alone if there are 0, with the least memory in which the matrix can
// stay in its files.
func stored(t *testing.T, processes int, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	limit := int64(1_000_000)
	for range 6 { // what is read on the way may say more
		status, stdout, stderr = inMemory(t, processes, append(slices.Clone(args), "--memory", fmt.Sprint(limit, "B"))...)
		if status == 0 {
			return status, stdout, stderr
		}
		limit = neededBy(t, status, stderr)
	}
	t.Fatalf("refused with the %d bytes that it is said to need: %s", limit, stderr)
	return status, stdout, stderr
}

// nmu resume goes on within the memory in which the run began, whatever that is.
func TestResumeMemory(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("large matrices: with NMU_FULL only")
	}
	large := largeFile(t)
	t.Chdir(filepath.Dir(large))
	lines := []string{large + " --method gnmu"}
	if os.Getenv("NMU_FULL") != "" {
		lines = append(lines, large+" --method rnmu --restarts 2", largeFolder(t, 60, false)+" --method gnmu")
	}
	for _, line := range lines {
		args := append(strings.Fields(line), strings.Fields("--rank 3 --iterations 1000000 --threads 2 --scratch . --force --memory")...)
		least := needed(t, append([]string{"factor", "--checkpoint-every", "1h", "--out", "out"}, append(args, "1MB")...)...)
		stopped(t, ".", "out", append(args, strconv.FormatInt(least, 10))...)
		status, _, stderr := nmu("resume", "out", "--time-limit", "1ms")
		if strings.Contains(stderr, "of memory") || status != 0 && !strings.Contains(stderr, "--time-limit") {
			t.Errorf("%s in %d bytes: status %d, %s", line, least, status, stderr)
		}
		status, _, stderr = nmu("resume", "out", "--threads", "64")
		if status != exit.StatusError || !strings.HasPrefix(stderr, "nmu: fewer threads would need less: ") || !strings.Contains(stderr, "(--memory sets it)") {
			t.Errorf("%s with more threads: status %d, %s", line, status, stderr)
		}
	}
}
