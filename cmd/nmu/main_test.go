package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/nmu/internal/exit"
	"nmu/internal/dataset"
	"nmu/internal/release"
	"nmu/kernel"
	"nmu/lnmu"
)

// nmu runs a command line in this process.
func nmu(args ...string) (status int, stdout, stderr string) {
	return nmuFrom(strings.NewReader(""), args...)
}

// nmuFrom is nmu with a standard input.
func nmuFrom(stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = execute(context.Background(), args, stdin, &out, &err)
	return status, out.String(), err.String()
}

// succeed runs a command line that must not fail, and returns what it prints. It
// may print notes on stderr.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := nmu(args...)
	if status != 0 || !onlyNotes(stderr) {
		t.Fatalf("nmu %s: status %d, %s", strings.Join(args, " "), status, stderr)
	}
	return stdout
}

// onlyNotes reports whether all lines are notes.
func onlyNotes(stderr string) bool {
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "nmu: note: ") {
			return false
		}
	}
	return true
}

// fails runs a command line that must end with the status of an error, of which
// TestStatus says which is which, and one line on stderr, beside notes, that contains
// all of says.
func fails(t *testing.T, says []string, args ...string) {
	t.Helper()
	status, stdout, stderr := nmu(args...)
	for strings.HasPrefix(stderr, "nmu: note: ") {
		_, stderr, _ = strings.Cut(stderr, "\n")
	}
	if status != exit.StatusError && status != exit.StatusUsage || stdout != "" {
		t.Errorf("nmu %s: status %d, output %q", strings.Join(args, " "), status, stdout)
	}
	if !strings.HasPrefix(stderr, "nmu: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("nmu %s: not one line: %q", strings.Join(args, " "), stderr)
	}
	for _, s := range says {
		if !strings.Contains(stderr, s) {
			t.Errorf("nmu %s: %q does not say %q", strings.Join(args, " "), stderr, s)
		}
	}
}

// swimmerFile writes the swimmer set, or its transpose, and returns the path.
func swimmerFile(t *testing.T, transposed bool) string {
	t.Helper()
	set := dataset.Swimmer()
	d := lnmu.NewDense(set.Rows, set.Cols, set.Data)
	if transposed {
		d = d.Transposed()
	}
	path := filepath.Join(t.TempDir(), "swimmer.npy")
	writeMatrix(t, path, d)
	return path
}

// there reports whether there is a file at path.
func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// textFile writes a file and returns its path.
func textFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRoot(t *testing.T) {
	if out := succeed(t); !strings.Contains(out, "Available Commands") {
		t.Errorf("no help: %s", out)
	}
	if out := succeed(t, "--version"); out != "nmu "+release.Version()+"\n" {
		t.Errorf("version: %q", out)
	}
	fails(t, []string{`unknown command "factr"`, "Did you mean this? factor"}, "factr")
	fails(t, []string{"unknown flag: --rnk", "nmu factor --help"}, "factor", "--rnk", "3")
	for value, want := range map[string]string{
		"--rank=abc": "nmu: --rank abc: want a whole number; see nmu factor --help", "--rank=2.5": "--rank 2.5: want a whole number;",
		"-r=2.5": "--rank 2.5: want a whole number", "--rank=99999999999999999999": "--rank 99999999999999999999: the number is too large",
		"--seed=-1": "--seed -1: want a whole number, 0 or more", "--tol=x": "--tol x: want a number", "--time-limit=5": "--time-limit 5: want a time, such as 90s or 2h",
		"--json=x": "--json x: want true or false", "--max-memory=x": "--max-memory x: ",
	} {
		fails(t, []string{want}, "factor", "x.npy", value)
	}
	fails(t, []string{"nmu: --rank is missing, such as --rank 10; see nmu factor --help"}, "factor", "x.npy")
	fails(t, []string{"nmu: --ranks is missing, such as --ranks 2:20; see nmu rank --help"}, "rank", "x.npy")
	fails(t, []string{"is a folder with neither .npy files nor images", "give a file in it by its own path"}, "factor", t.TempDir(), "-r", "2")
	fails(t, []string{"nmu: nowhere.npy: no such file"}, "factor", "nowhere.npy", "-r", "2")
	fails(t, []string{"unknown command", "nmu info"}, "info", "x")
}

// Every command and flag is explained, and the examples are command lines.
func TestHelp(t *testing.T) {
	root := rootCommand()
	for _, cmd := range root.Commands() {
		help := succeed(t, cmd.Name(), "--help")
		texts := []string{cmd.Long, cmd.Example}
		if cmd.IsAdditionalHelpTopicCommand() {
			texts = texts[:1] // it is no command
		}
		for _, text := range texts {
			if text == "" || !strings.Contains(help, text) {
				t.Errorf("help of %s lacks a text or the examples", cmd.Name())
			}
		}
		for line := range strings.Lines(cmd.Example) {
			_, line, ok := strings.Cut(line, "nmu ")
			args := strings.Fields(line)
			if !ok || args[0] != cmd.Name() {
				t.Errorf("%s: not an example of this command: %q", cmd.Name(), line)
				continue
			}
			if err := freshCommand(cmd.Name()).ParseFlags(args[1:]); err != nil {
				t.Errorf("%s: %q: %v", cmd.Name(), line, err)
			}
		}
		for line := range strings.Lines(help) {
			if len(line) > 100 {
				t.Errorf("%s: long line %q", cmd.Name(), line)
			}
		}
	}
}

// The help of a command with many flags lists the common ones first, and each in one group.
func TestHelpGroups(t *testing.T) {
	help := succeed(t, "factor", "--help")
	_, help, _ = strings.Cut(help, "\nFlags:\n")
	common, _, _ := strings.Cut(help, "\n\n")
	if n := strings.Count(common, "\n  "); n > 30 || !strings.Contains(common, "  -r, --rank R ") || !strings.Contains(common, "--out DIR") || strings.Contains(common, "--inner") {
		t.Errorf("the common flags:\n%s", common)
	}
	at := -1
	for _, heading := range []string{"\nMethod:\n", "\nInput:\n", "\nOutput:\n", "\nMemory and processes:\n"} {
		if next := strings.Index(help, heading); next <= at || strings.Count(help, heading) != 1 {
			t.Errorf("%q is not once, and in order, in\n%s", heading, help)
		} else {
			at = next
		}
	}
	for _, cmd := range rootCommand().Commands() {
		help := succeed(t, cmd.Name(), "--help")
		help = help[strings.LastIndex(help, "\nFlags:\n")+1:]
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if n := len(regexp.MustCompile(`(?m)^  (    |-\w, )--`+f.Name+`( |$)`).FindAllString(help, -1)); n != 1 && !f.Hidden && cmd.Runnable() {
				t.Errorf("the help of %s has --%s %d times", cmd.Name(), f.Name, n)
			}
		})
	}
}

// freshCommand returns a subcommand whose flags are not set yet.
func freshCommand(name string) *cobra.Command {
	cmd, _, err := rootCommand().Find([]string{name})
	if err != nil {
		panic(err)
	}
	return cmd
}

func TestInfo(t *testing.T) {
	out := succeed(t, "info")
	for _, want := range []string{
		release.Version(), "processor", "caches",
		strings.Join(kernel.Levels(), ", "),
		kernel.Level() + ", " + levelReason(),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for n, want := range map[int]string{0: "unknown", 64: "64 B", 48 << 10: "48 KiB", 1 << 20: "1 MiB", 3 << 19: "1536 KiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d bytes: %s, want %s", n, got, want)
		}
	}
}
