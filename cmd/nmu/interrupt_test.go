package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"nmu/cmd/internal/input"
	"nmu/internal/checkpoint"
	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// signalled runs a command line, sends this process a signal while it runs, and wants a status and what it
// says: see Program.Signalled.
func signalled(t *testing.T, sent os.Signal, want int, says string, args ...string) (stderr string) {
	t.Helper()
	return tested().Signalled(t, sent, want, says, args...)
}

// Ctrl-C writes the finished factors of a recursion, which are those of a run
// that was asked for no more.
func TestInterruptRecursion(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	stderr := signalled(t, os.Interrupt, 130, " of 220 factors are finished and written to "+out,
		"factor", swimmerFile(t, false), "--method", "rnmu", "--iterations", "200", "--restarts", "1", "--seed", "4", "--rank", "220", "--out", out)
	rep := result(t, out)
	if rep.Stop != outcome.StopCancelled || rep.Rank < 1 || rep.Rank >= 220 || rep.Settings.Rank != 220 || !strings.Contains(stderr, ": "+strconv.Itoa(rep.Rank)+" of 220") {
		t.Fatalf("%+v, %q", rep, stderr)
	}
	holds(t, out, checkpoint.Name, record.NameV, record.NameW, record.NameResult)
	v, err := readFactor[float64](filepath.Join(out, record.NameV))
	if err != nil || factors.SHA256(v) != rep.SHA256V || v.Cols != rep.Rank {
		t.Errorf("V is %d x %d, %v", v.Rows, v.Cols, err)
	}
}

// Ctrl-C before the first factor is finished leaves at most a checkpoint, and nothing with
// --checkpoint-every 0.
func TestInterruptEarly(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"factor", swimmerFile(t, false), "--rank", "2", "--method", "rnmu", "--iterations", "1000000000", "--out", out}
	const want = "interrupted before a factor was finished; nothing is written"
	signalled(t, os.Interrupt, 130, want, append(args, "--checkpoint-every", "0")...)
	noFile(t, out)
	stderr := signalled(t, os.Interrupt, 130, want, args...)
	must.Equal(t, checkpoint.Has(out), strings.Contains(stderr, "nmu resume "+out), stderr)
	noFile(t, filepath.Join(out, record.NameV))
}

// SIGTERM and SIGHUP save what is finished, as Ctrl-C does, and every command says
// by its status which one it was. Of NMF there is always something.
func TestTerminateSaves(t *testing.T) {
	input := swimmerFile(t, false)
	dir := t.TempDir()
	t.Setenv("NMU_DATA", dir)
	basis := filepath.Join(dir, "basis")
	succeed(t, "factor", input, "--rank", "2", "--iterations", "2", "--restarts", "1", "--out", basis)
	for i, c := range []struct {
		signal os.Signal
		says   string
		status int
	}{{syscall.SIGTERM, "interrupted by SIGTERM", 143}, {syscall.Signal(1), "interrupted by SIGHUP", 129}, {os.Interrupt, "interrupted", 130}} {
		out := filepath.Join(t.TempDir(), "out")
		long := []string{"factor", input, "--rank", "2", "--method", "nmf", "--iterations", "1000000000", "--threads", "1"}
		signalled(t, c.signal, c.status, c.says+": the factors as they were are written to "+out, append(long, "--out", out)...)
		signalled(t, c.signal, c.status, "not written, for want of --out", long...)
		for k, args := range [][]string{
			{"factor", input, "--rank", "2", "--restarts", "10", "--iterations", "1000000000", "--threads", "1", "--out", out},
			{"transform", basis, input, "--iterations", "1000000000", "--tolerance", "1e-300", "--threads", "1"},
			{"biclique", input, "--starts", "1000000000", "--threads", "1"},
			{"demo"},
		} {
			if k > 0 && (i+k)%2 > 0 && os.Getenv("NMU_FULL") == "" {
				continue
			}
			if stderr := signalled(t, c.signal, c.status, c.says, args...); !strings.HasPrefix(stderr, "nmu: "+c.says) || strings.Count(stderr, "interrupted") != 1 {
				t.Errorf("%s: %s", args[0], stderr)
			}
		}
		if rep := result(t, out); rep.Stop != outcome.StopCancelled || rep.Rank != 2 || rep.Settings.Method != "nmf" {
			t.Errorf("the result of nmf, which a run without a finished factor must not replace: %+v", rep)
		}
	}
}

// Ctrl-C leaves nothing half written of the page of nmu report, nor beside it.
func TestInterruptReport(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal on Windows")
	}
	dir := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", swimmerFile(t, false), "--rank", "30", "--iterations", "2", "--restarts", "1", "--image", "20x11", "--out", dir)
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

// A signal ends every command that reads a matrix, while it waits for more of standard input and, by a context
// that has ended, while it reads a file. Nothing is written, and no temporary file stays.
func TestInterruptReading(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TMPDIR", dir)
	if err := matiotest.WriteNpy("a.npy", 2, 2, []float32{1, 2, 3, 4}, 2); err != nil { // which float64 does not map
		t.Fatal(err)
	}
	succeed(t, "factor", "a.npy", "--rank", "1", "--out", "run")
	before := names(t, dir)
	lines := []struct{ args, says string }{ // what is said of a context that has ended, if that is tried
		{"factor IN --rank 1 --out out", "interrupted before the matrix was read; nothing is written"},
		{"rank IN --ranks 1 --out out", "interrupted"},
		{"consensus IN --ranks 1 --out out", "interrupted"},
		{"convert IN out.npy --order columns", "interrupted; nothing is written"},
		{"transform run IN --out out", "interrupted"},
		{"look IN", "interrupted"},
		{"biclique IN", ""},
		{"report run IN", ""},
	}
	for _, cmd := range rootCommand().Commands() {
		if cmd.Flags().Lookup("transpose") != nil && !slices.ContainsFunc(lines, func(c struct{ args, says string }) bool { return strings.HasPrefix(c.args, cmd.Name()+" ") }) {
			t.Errorf("nmu %s reads a matrix and is not tried", cmd.Name())
		}
	}
	for _, c := range lines {
		var stdout, stderr bytes.Buffer
		if c.says != "" {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			if status := execute(ended, strings.Fields(strings.Replace(c.args, "IN", "a.npy", 1)), nil, &stdout, &stderr); status != 130 || !strings.Contains(stderr.String(), c.says) {
				t.Errorf("%s: status %d, %s", c.args, status, &stderr)
			}
		}
		for sent, ends := range map[os.Signal][2]string{os.Interrupt: {"signal: interrupt", "exit status 130"}, syscall.SIGTERM: {"signal: terminated", "exit status 143"}} {
			if runtime.GOOS == "windows" {
				break // which sends a process no signal
			}
			read, write := must.Two(os.Pipe())(t)
			cmd := launch(t, &exec.Cmd{Args: append([]string{"nmu"}, strings.Fields(strings.Replace(c.args, "IN", "-", 1))...), Stdin: read})
			read.Close()
			// More than the pipe holds: the command reads.
			if _, err := write.WriteString(strings.Repeat("1,2\n3,4\n", 1<<18)); err != nil {
				t.Errorf("%s: %v", c.args, err)
			}
			must.Do(t, cmd.Process.Signal(sent))
			cmd.Wait()
			write.Close()
			if got := cmd.ProcessState.String(); got != ends[0] && got != ends[1] {
				t.Errorf("%s: %s, want %q", c.args, got, ends)
			}
		}
		must.EqualSlices(t, names(t, dir), before, c.args, "files")
	}
}

// A limit of time ends the reading of a matrix, but gives it a second at least. So does a
// cancelled context.
func TestLimitEndsReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	must.Do(t, os.WriteFile(path, []byte("1,2\n3,4\n"), 0o666))
	npy := filepath.Join(t.TempDir(), "a.npy")
	must.Do(t, matiotest.WriteNpy(npy, 1, 2, []float32{1, 2}, 2))
	for _, c := range []struct {
		limit, after time.Duration
		ends         bool
	}{
		{0, time.Hour, false}, {time.Nanosecond, time.Second / 2, false}, {time.Nanosecond, 2 * time.Second, true},
		{time.Minute, time.Minute / 2, false}, {time.Minute, 2 * time.Minute, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var in input.Matrix
			defer in.Limit(context.Background(), c.limit)()
			file := must.Get(matio.Open(npy, matio.Options{}))(t)
			defer file.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			defer in.Until(ctx, file)()
			time.Sleep(c.after)
			opt := in.Options()
			other, err := matio.Open(path, opt)
			if (err != nil) != c.ends || err != nil && !errors.Is(err, input.ErrTime) {
				t.Errorf("limit %v, after %v: Open: %v", c.limit, c.after, err)
			}
			if err == nil {
				other.Close()
			}
			if _, _, _, err := matio.Dense[float64](file); (err != nil) != c.ends || err != nil && !errors.Is(err, input.ErrTime) {
				t.Errorf("limit %v, after %v: Dense: %v", c.limit, c.after, err)
			}
			cancel()
			if _, _, _, err := matio.Dense[float64](file); err == nil {
				t.Errorf("limit %v, after %v: no error after the end of the context", c.limit, c.after)
			}
		})
	}
}
