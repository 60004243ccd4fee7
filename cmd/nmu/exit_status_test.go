package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/lnmu"
)

// The exit status says whose the error is.
func TestStatus(t *testing.T) {
	m := textFile(t, "m.csv", "1,2,3\n4,5,6\n7,8,1\n")
	swimmer := swimmerFile(t, false)
	bad := textFile(t, "bad.csv", "1,2\n3,-4\n")
	dir := t.TempDir()
	basis := filepath.Join(dir, "basis")
	succeed(t, "factor", m, "--rank", "1", "--iters", "2", "--restarts", "1", "--out", basis)
	write(t, filepath.Join(dir, "file"), "")
	for _, c := range []struct {
		args   string
		status int
	}{
		{"factor M --rank 1 --iters 2", 0},
		{"info", 0},
		{"factor M --rank 1 --tol 0.5", 0},
		{"factor SWIMMER --rank 2 --method nmf --tol 1e-12 --iters 30", exit.StatusUnconverged},
		{"factor SWIMMER --rank 8 --method nmf --tol 1e-300 --iters 1000000000 --time-limit 30ms", exit.StatusUnconverged},
		{"factor M --rank 2 --method nmf --iters 1000000000 --time-limit 100ms", 0},
		{"transform BASIS M --tol 1e-300 --iters 20", exit.StatusUnconverged},
		{"factor nowhere.csv --rank 1", exit.StatusError},
		{"factor BAD --rank 1", exit.StatusError},
		{"factor M --rank 1 --out FILE", exit.StatusError},
		{"factor M --rank 1 --max-memory 1", exit.StatusError},
		{"factor M --rank 1 --init nowhere", exit.StatusError},
		{"transform nowhere M", exit.StatusError},
		{"resume nowhere", exit.StatusError},
		{"factor M --rank 1 --continue nowhere", exit.StatusError},
		{"facto M", exit.StatusUsage},
		{"info x", exit.StatusUsage},
		{"factor", exit.StatusUsage},
		{"factor M", exit.StatusUsage},
		{"factor M --rnk 1", exit.StatusUsage},
		{"factor M --rank x", exit.StatusUsage},
		{"factor M --rank 0", exit.StatusUsage},
		{"factor M --rank 4", 0}, // above both sides
		{"factor M --rank 1 --method nfm", exit.StatusUsage},
		{"factor M --rank 1 --precision float16", exit.StatusUsage},
		{"factor M --rank 1 --sep x", exit.StatusUsage},
		{"factor M --rank 1 --image 2x2", exit.StatusUsage},
		{"factor M --rank 1 --write xls --out FILE", exit.StatusUsage},
		{"factor M --rank 1 --threads -1", exit.StatusUsage},
		{"factor M --rank 1 --progress loud", exit.StatusUsage},
		{"factor M --rank 1 --checkpoint 1s", exit.StatusUsage},
		{"factor M --rank 1 --checkpoint -1s --out new", exit.StatusUsage},
		{"factor - --rank 1 --checkpoint 1s --out new", exit.StatusUsage},
		{"factor M --rank 1 --continue BASIS --init BASIS", exit.StatusUsage},
		{"factor M --rank 1 --sparse-missing", exit.StatusUsage},
		{"rank M --ranks 0", exit.StatusUsage},
		{"rank M --ranks 1:4", exit.StatusUsage},
		{"rank M --ranks 2 --folds 0", exit.StatusUsage},
		{"rank M --ranks 2 --precision float16", exit.StatusUsage},
		{"rank nowhere.csv --ranks 2", exit.StatusError},
		{"report BASIS --ranks nowhere", exit.StatusError},
		{"factor M --rank 2 --continue BASIS", exit.StatusUsage}, // from a random start
		{"transform BASIS M --iters 0", exit.StatusUsage},
		{"transform BASIS", exit.StatusUsage},
		{"resume", exit.StatusUsage},
		{"biclique M --starts 0", exit.StatusUsage},
		{"paper --restarts 1", exit.StatusUsage}, // there is no such command,
		{"demo --out=", exit.StatusUsage},
	} {
		args := strings.Fields(strings.NewReplacer("SWIMMER", swimmer, "M", m, "BAD", bad, "BASIS", basis, "FILE", filepath.Join(dir, "file")).Replace(" " + c.args)) // all at once, so that no name is replaced in another
		if status, _, stderr := nmu(args...); status != c.status {
			t.Errorf("nmu %s: status %d, want %d: %s", c.args, status, c.status, stderr)
		}
	}
	if help := succeed(t, "--help"); !strings.Contains(help, exit.Help) {
		t.Error("the help says nothing of exit statuses")
	}
	for _, stop := range []lnmu.Stop{lnmu.StopTolerance, lnmu.StopExact, lnmu.StopTarget} {
		if err := exit.Unconverged(true, stop); err != nil {
			t.Errorf("ended by %s: %v", stop, err)
		}
	}
}

// failing is a writer that takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What cannot be printed is an error of every command, those of the command line
// itself as well.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"help", "factor"}, {"help", "terms"}, {"factor", "--help"}, {"--version"}, {"completion", "bash"}, {"info"}} {
		var stderr bytes.Buffer
		status := execute(context.Background(), args, nil, failing{}, &stderr)
		if status != exit.StatusError || !strings.Contains(stderr.String(), "no space left on device") || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("nmu %s: status %d, %s", strings.Join(args, " "), status, &stderr)
		}
	}
}
