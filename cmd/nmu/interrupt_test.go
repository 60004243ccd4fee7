package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/cmd/internal/checkpoint"
	"nmu/cmd/internal/record"
	"nmu/lnmu"
)

// interrupted runs a command line and sends this process what Ctrl-C sends after
// a while.
func interrupted(t *testing.T, after time.Duration, args ...string) (stderr string) {
	t.Helper()
	return signalled(t, os.Interrupt, 130, after, args...)
}

// signalled runs a command line, sends this process a signal after a while, and
// again while it is being obeyed, and wants a status.
func signalled(t *testing.T, sent os.Signal, want int, after time.Duration, args ...string) (stderr string) {
	t.Helper()
	return tested().Signalled(t, sent, want, after, args...)
}

// Ctrl-C writes the finished factors of a recursion, which are those of a run
// that was asked for no more.
func TestInterruptRecursion(t *testing.T) {
	input := swimmerFile(t, false)
	args := []string{"factor", input, "--method", "rnmu", "--iters", "200", "--restarts", "1", "--seed", "4"}
	for after := 30 * time.Millisecond; ; after *= 2 {
		out := filepath.Join(t.TempDir(), "out")
		stderr := interrupted(t, after, append(args, "--rank", "220", "--out", out)...)
		if strings.Contains(stderr, "before a factor") && after < 20*time.Second {
			noFile(t, filepath.Join(out, record.NameV))
			continue // on a slow machine
		}
		rep := result(t, out)
		if rep.Stop != lnmu.StopCancelled || rep.Rank < 1 || rep.Rank >= 220 || rep.Settings.Rank != 220 {
			t.Fatalf("%+v", rep)
		}
		if want := strconv.Itoa(rep.Rank) + " of 220 factors are finished and written to " + out; !strings.Contains(stderr, want) {
			t.Errorf("%q, want %q", stderr, want)
		}
		holds(t, out, checkpoint.Name, record.NameV, record.NameW, record.NameResult)
		v, err := readFactor[float64](filepath.Join(out, record.NameV))
		if err != nil || lnmu.SHA256(v) != rep.SHA256V || v.Cols != rep.Rank {
			t.Errorf("V is %d x %d, %v", v.Rows, v.Cols, err)
		}
		return
	}
}

// Ctrl-C before the first factor is finished leaves at most a checkpoint, and nothing with
// --checkpoint 0.
func TestInterruptEarly(t *testing.T) {
	input := swimmerFile(t, false)
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"factor", input, "--rank", "2", "--method", "rnmu", "--iters", "1000000000", "--out", out}
	const want = "interrupted before a factor was finished; nothing is written"
	if stderr := interrupted(t, 100*time.Millisecond, append(args, "--checkpoint", "0")...); !strings.Contains(stderr, want) {
		t.Error(stderr)
	}
	noFile(t, out)
	stderr := interrupted(t, 100*time.Millisecond, args...)
	if !strings.Contains(stderr, want) || checkpoint.Has(out) != strings.Contains(stderr, "nmu resume "+out) {
		t.Error(stderr)
	}
	noFile(t, filepath.Join(out, record.NameV))
}

// SIGTERM and SIGHUP save what is finished, as Ctrl-C does, and every command says
// by its status which one it was. Of NMF there is always something.
func TestTerminateSaves(t *testing.T) {
	input := swimmerFile(t, false)
	dir := t.TempDir()
	t.Setenv("NMU_DATA", dir)
	basis := filepath.Join(dir, "basis")
	succeed(t, "factor", input, "--rank", "2", "--iters", "2", "--restarts", "1", "--out", basis)
	for i, c := range []struct {
		signal os.Signal
		says   string
		status int
	}{{syscall.SIGTERM, "interrupted by SIGTERM", 143}, {syscall.Signal(1), "interrupted by SIGHUP", 129}, {os.Interrupt, "interrupted", 130}} {
		out := filepath.Join(t.TempDir(), "out")
		stderr := signalled(t, c.signal, c.status, 300*time.Millisecond, "factor", input, "--rank", "2", "--method", "nmf", "--iters", "1000000000", "--out", out)
		if rep := result(t, out); rep.Stop != lnmu.StopCancelled || rep.Rank != 2 || !strings.Contains(stderr, c.says+": the factors as they were are written to "+out) {
			t.Errorf("%+v, %s", rep, stderr)
		}
		if stderr := signalled(t, c.signal, c.status, 300*time.Millisecond, "factor", input, "--rank", "2", "--method", "nmf", "--iters", "1000000000"); !strings.Contains(stderr, "not written, for want of --out") {
			t.Error(stderr)
		}
		for k, args := range [][]string{
			{"factor", input, "--rank", "2", "--restarts", "10", "--iters", "1000000000", "--out", out},
			{"transform", basis, input, "--iters", "1000000000", "--tol", "1e-300"},
			{"biclique", input, "--starts", "1000000000"},
			{"demo"},
		} {
			if k > 0 && (i+k)%2 > 0 && os.Getenv("NMU_FULL") == "" {
				continue
			}
			if stderr := signalled(t, c.signal, c.status, 100*time.Millisecond, args...); !strings.HasPrefix(stderr, "nmu: "+c.says) || strings.Count(stderr, "interrupted") != 1 {
				t.Errorf("%s: %s", args[0], stderr)
			}
		}
		if rep := result(t, out); rep.Rank != 2 || rep.Settings.Method != "nmf" {
			t.Errorf("a run without a finished factor replaced the result: %+v", rep)
		}
	}
}

// Ctrl-C leaves nothing half written of the page of nmu report, nor beside it.
func TestInterruptReport(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal on Windows")
	}
	dir := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", swimmerFile(t, false), "--rank", "30", "--iters", "2", "--restarts", "1", "--image", "20x11", "--out", dir)
	page := filepath.Join(dir, record.NameReport)
	rounds := 4
	if os.Getenv("NMU_FULL") != "" {
		rounds = 12
	}
	for round := range rounds {
		cmd := command(t, "report", dir)
		ended := ending(cmd)
		over := false
		for !over && len(staged(t, dir)) == 0 {
			select {
			case err := <-ended:
				ended <- err
				over = true
			default:
			}
		}
		time.Sleep(rand.N(20 * time.Millisecond))
		cmd.Process.Signal(os.Interrupt) // it may have ended
		<-ended
		if left := staged(t, dir); len(left) != 0 {
			t.Fatalf("round %d: %v are left", round, left)
		}
		if err := os.Remove(page); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}
