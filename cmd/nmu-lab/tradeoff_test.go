package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTradeoff runs both solvers on the swimmer set and looks at the files, and at what
// is refused.
func TestTradeoff(t *testing.T) {
	if testing.Short() {
		t.Skip("a long computation without assembly: not with -short")
	}
	dir := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := tested().Run("tradeoff", "--only", "swimmer", "--out", dir)
	if status != 0 || strings.Count(stdout, "swimmer") < 14 {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	for _, name := range []string{nameTradeoff, "tradeoff-swimmer.svg", "tradeoff-swimmer-time.svg"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(text), "lagrangian") || !strings.Contains(string(text), "admm") {
			t.Errorf("%s: %.80s, %v", name, text, err)
		}
	}
	for _, args := range [][]string{{"--only", "faces"}, {"--only", ""}, {"--out", ""}, {"--only", "cbcl", "--data", t.TempDir()}} {
		if status, stdout, stderr := tested().Run(append([]string{"tradeoff"}, args...)...); status == 0 || stdout != "" || stderr == "" {
			t.Errorf("%q: status %d: %s%s", args, status, stdout, stderr)
		}
	}
}
