package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

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
		if now := names(t, dir); !slices.Equal(now, before) {
			t.Errorf("%s: files %v, want %v", c.args, now, before)
		}
	}
}
