package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/must"
)

// TestExcuses checks that a test may be left out for lack of a missing tool, and of no other.
func TestExcuses(t *testing.T) {
	t.Setenv("NMU_DATA", t.TempDir())
	for output, want := range map[string]bool{
		"x_test.go:3: not installed: numpy: a Python with NumPy": true,
		"x_test.go:3: not installed: octave: GNU Octave":         false,
		"x_test.go:3: links cannot be used on this machine":      true,
		"x_test.go:3: no CBCL faces; set NMU_DATA":               true,
		"x_test.go:3: with NMU_FULL only":                        false,
		"":                                                       false,
	} {
		if got := excuses(output, []string{"numpy"}); got != want {
			t.Errorf("excuses(%q) = %v", output, got)
		}
	}
}

// TestNames checks that every check has a name of its own, so that --only can choose it.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range checks(true) {
		if seen[c.name] {
			t.Errorf("two checks are called %s", c.name)
		}
		seen[c.name] = true
	}
	for _, name := range []string{"test", "race", "arm64", "build linux/s390x", "full generic", "full s390x"} {
		if lowest := len(isa.Available()) == 1; !seen[name] && !(lowest && name == "full generic") {
			t.Errorf("no check %s", name)
		}
	}
}

// TestBare runs some checks on a path that has Go, git, bash and a C compiler only. The checks
// that need more are left out, each with its reason, and none fails.
func TestBare(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("it runs checks: with NMU_FULL only")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the path of other systems cannot be used on this machine")
	}
	bin := t.TempDir()
	for _, tool := range strings.Fields("bash sh env go git gcc as ld basename cat cp dirname grep gofmt id ls mkdir mktemp rm sed sort tail tee uname wc xargs") {
		if path, err := exec.LookPath(tool); err == nil {
			must.Do(t, os.Symlink(path, filepath.Join(bin, tool)))
		}
	}
	cmd := exec.Command("bash", ".ci/run", "--only", "^(test|format|arm64|python)$", "./internal/regular")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "PATH="+bin, "NMU_PYTHON=", "NMU_OCTAVE=")
	out, err := cmd.CombinedOutput()
	must.Equal(t, err, nil)
	for _, want := range []string{`(?m)^== octave is missing`, `python: not run, for lack of Python`, `arm64: not run, for lack of qemu`, `(?m)^[1-9]\d* passed, 0 failed\n\z`} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("no line %s", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}

// TestPatterns checks that each alternative of a pattern of -run and -skip selects a test: a test that
// was renamed would leave a check without a word.
func TestPatterns(t *testing.T) {
	cmd := exec.Command("git", "grep", "-hoE", "^func (Test|Fuzz|Example)[A-Za-z0-9_]*", "--", "*_test.go")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("the files of git cannot be listed on this machine: %v", err)
	}
	tests := strings.Fields(strings.ReplaceAll(string(out), "func ", ""))
	flags, group := regexp.MustCompile(`-(?:run|skip) '?([^ ';]+)`), regexp.MustCompile(`\^Test\(([^()]*)\)\$`)
	for _, c := range checks(true) {
		for _, found := range flags.FindAllStringSubmatch(c.shell, -1) {
			pattern := found[1]
			if pattern == "^$" {
				continue
			}
			all := []string{}
			for _, g := range group.FindAllStringSubmatch(pattern, -1) {
				for x := range strings.SplitSeq(g[1], "|") {
					all = append(all, "^Test"+x+"$")
				}
			}
			all = append(all, strings.Split(group.ReplaceAllString(pattern, ""), "|")...)
			for _, x := range all {
				if x == "" {
					continue // of the groups above
				}
				re := regexp.MustCompile(x)
				if !slices.ContainsFunc(tests, re.MatchString) {
					t.Errorf("%s: %s of %s selects no test", c.name, x, found[0])
				}
			}
		}
	}
}
