package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/render"
)

// FuzzRecord gives every command that reads a result.json, or a rank.json, one that says
// anything. None may panic or hang; all of them refuse what parseRecord refuses.
func FuzzRecord(f *testing.F) {
	input, dir := recordedRun(f)
	path := filepath.Join(dir, nameResult)
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	var kept []string
	for _, args := range [][]string{
		{"factor", input, "--rank", "3", "--method", "nmf", "--iters", "3", "--restarts", "2"},
		{"factor", input, "--rank", "3", "--norm", "l1", "--iters", "3", "--init", "nested", "--restarts", "1"},
		{"transform", dir, input},
		{"rank", input, "--ranks", "1:2", "--iters", "3", "--folds", "2", "--restarts", "2"},
	} {
		out := filepath.Join(f.TempDir(), "out")
		if status, _, stderr := nmu(append(args, "--out", out)...); status != 0 {
			f.Fatal(stderr)
		}
		for _, name := range []string{nameResult, nameRank} {
			if text, err := os.ReadFile(filepath.Join(out, name)); err == nil {
				kept = append(kept, out)
				f.Add(text)
			}
		}
	}
	f.Add([]byte(`{"sha256_w":"0","rank":null}`))
	page := filepath.Join(f.TempDir(), "page.html")
	ranks, out := kept[len(kept)-1], f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, path := range []string{path, filepath.Join(ranks, nameRank), filepath.Join(out, nameResult)} {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, refused := parseRecord(text)
		for name, args := range readersOf(input, dir, page) {
			if name == "--continue" {
				args = append(args, "--time-limit", "20ms") // it goes on with the iterations of the file
			}
			status, stderr := ended(t, args...)
			if refused != nil && (status == 0 || !strings.Contains(stderr, nameResult)) {
				t.Errorf("%s: status %d, %q, of a file that is refused: %v", name, status, stderr, refused)
			}
		}
		ended(t, "report", kept[0], "--ranks", ranks, "--out", page)
		ended(t, "factor", input, "--rank", "1", "--iters", "1", "--restarts", "1", "--out", out)
	})
}

// ended runs a command line that must end by itself, and returns its status and stderr.
func ended(t *testing.T, args ...string) (int, string) {
	t.Helper()
	status, stdout, stderr := nmu(args...)
	if !slices.Contains([]int{0, exitError, exitUsage, exitUnconverged}, status) {
		t.Errorf("nmu %s: status %d, %s", strings.Join(args, " "), status, stderr)
	}
	for line := range strings.Lines(stdout + stderr) {
		if line = strings.TrimSuffix(line, "\n"); render.Printable(line) != line {
			t.Errorf("nmu %s: prints %q", strings.Join(args, " "), line)
		}
	}
	return status, stderr
}
