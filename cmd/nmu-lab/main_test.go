package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nmu/cmd/internal/commandtest"
)

// TestMain makes the test binary the child process that nmu-lab bench starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "bench" && os.Args[2] == "--child" {
		main()
	}
	os.Exit(m.Run())
}

// tested is this program.
func tested() commandtest.Program { return commandtest.Program{Root: rootCommand} }

// succeed runs a command line that must not fail, and returns what it prints.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	return tested().Succeed(t, args...)
}

// fails runs a command line that must end with an error in one line that contains all of says.
func fails(t *testing.T, says []string, args ...string) {
	t.Helper()
	tested().Fails(t, says, args...)
}

// Every command and flag is explained, and the examples are command lines.
func TestHelp(t *testing.T) { tested().Help(t) }

// SIGTERM and SIGHUP end a command as Ctrl-C does, with a status of their own.
func TestTerminate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NMU_DATA", dir)
	for _, c := range []struct {
		signal os.Signal
		says   string
		status int
		args   []string
	}{
		{syscall.SIGTERM, "interrupted by SIGTERM", 143, []string{"paper", "--only", "swimmer", "--restarts", "100000", "--out", filepath.Join(dir, "paper")}},
		{syscall.Signal(1), "interrupted by SIGHUP", 129, []string{"bench", "--only", "machine"}},
	} {
		if stderr := tested().Signalled(t, c.signal, c.status, 100*time.Millisecond, c.args...); !strings.HasPrefix(stderr, "nmu-lab: "+c.says) {
			t.Errorf("%s: %s", c.args[0], stderr)
		}
	}
}
