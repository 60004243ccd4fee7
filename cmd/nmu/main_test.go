package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nmu/cmd/internal/commandtest"
	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/internal/release"
	"nmu/kernel"
	"nmu/lnmu"
)

// commandEnv makes the test binary the command.
const commandEnv = "NMU_TEST_COMMAND"

// TestMain makes the test binary the command if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(commandEnv) != "" {
		status := execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		if path := os.Getenv(peakEnv); path != "" {
			status = max(status, writePeak(path))
		}
		os.Exit(status)
	}
	for _, s := range []os.Signal{os.Interrupt, syscall.Signal(1)} {
		if signal.Ignored(s) { // as under nohup: the commands that the tests interrupt would ignore it too
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	debug.SetGCPercent(800) // of the few megabytes that a test holds
	os.Exit(m.Run())
}

// tested is this program.
func tested() commandtest.Program { return commandtest.Program{Name: "nmu", Root: rootCommand} }

// nmu runs a command line in this process.
func nmu(args ...string) (status int, stdout, stderr string) { return tested().Run(args...) }

// nmuFrom is nmu with a standard input.
func nmuFrom(stdin io.Reader, args ...string) (status int, stdout, stderr string) {
	return tested().RunFrom(stdin, args...)
}

// succeed runs a command line that must not fail, and returns what it prints.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	return tested().Succeed(t, args...)
}

// fails runs a command line that must end with an error in one line that contains all of says.
// TestStatus says which status an error has.
func fails(t *testing.T, says []string, args ...string) {
	t.Helper()
	tested().Fails(t, says, args...)
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
	return commandtest.TextFile(t, name, content)
}

// write writes a file.
func write(t testing.TB, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}

func TestRoot(t *testing.T) {
	contains(t, succeed(t), "Available Commands")
	must.Equal(t, succeed(t, "--help", "factor"), succeed(t, "factor", "--help"), "--help first")
	for _, version := range []string{"--version", "version"} {
		must.Equal(t, succeed(t, version), "nmu "+release.Version()+"\n", "version")
	}
	fails(t, []string{`unknown command "factr"`, "Did you mean this? factor"}, "factr")
	fails(t, []string{"unknown flag: --rnk", "nmu factor --help"}, "factor", "--rnk", "3")
	for value, want := range map[string]string{
		"--rank=abc": "nmu: --rank abc: choose a whole number, 1 or more; see nmu factor --help", "--rank=2.5": "--rank 2.5: choose a whole number, 1 or more;",
		"-r=2.5": "--rank 2.5: choose a whole number", "--rank=99999999999999999999": "--rank 99999999999999999999: choose a smaller number",
		"--seed=-1": "--seed -1: choose a whole number, 0 or more", "--tolerance=x": "--tolerance x: choose a number", "--time-limit=5": "--time-limit 5: choose a time, such as 90s or 2h",
		"--json=x": "--json x: choose true or false", "--max-memory=x": "--max-memory x: ",
	} {
		fails(t, []string{want}, "factor", "x.npy", value)
	}
	fails(t, []string{"nmu: --rank is missing, such as --rank 10; see nmu factor --help"}, "factor", "x.npy")
	fails(t, []string{"nmu: --ranks is missing, such as --ranks 2:20; see nmu rank --help"}, "rank", "x.npy")
	fails(t, []string{"is a folder with neither .npy files nor images", "give a file in it by its own path"}, "factor", t.TempDir(), "-r", "2")
	fails(t, []string{"nmu: nowhere.npy: no such file"}, "factor", "nowhere.npy", "-r", "2")
	fails(t, []string{"info needs no argument, got 1"}, "info", "x")
}

// Every command and flag is explained, and the examples are command lines.
func TestHelp(t *testing.T) { tested().Help(t) }

// The help of a command with many flags lists the common ones first, and each in one group. --help only names
// those of the groups.
func TestHelpGroups(t *testing.T) {
	short := succeed(t, "factor", "--help")
	contains(t, short, "  -r, --rank R ", "    --init --continue --target-error ", "\"nmu help factor\"")
	_, flags, _ := strings.Cut(short, "\nFlags:\n")
	freshCommand("factor").Flags().VisitAll(func(f *pflag.Flag) {
		if n := strings.Count(" "+strings.Join(strings.Fields(flags), " ")+" ", " --"+f.Name+" "); n != 1 && !f.Hidden && f.Name != "help" {
			t.Errorf("nmu factor --help has --%s %d times", f.Name, n)
		}
	})
	help := succeed(t, "help", "factor")
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
		if cmd.Hidden {
			continue
		}
		help := succeed(t, "help", cmd.Name())
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
		must.Say(t, out, want)
	}
	for n, want := range map[int]string{0: "unknown", 64: "64 B", 48 << 10: "48 KiB", 1 << 20: "1 MiB", 3 << 19: "1536 KiB"} {
		must.Equal(t, bytesText(n), want, n, "bytes")
	}
}
