package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestZeroNumbers: a number of the method is in result.json, the table and the page also if it is
// exactly 0, and in no other method's. All divergences of a constant matrix are below 0.01 %.
func TestZeroNumbers(t *testing.T) {
	dir := t.TempDir()
	constant := textFile(t, "constant.csv", strings.Repeat("4,4,4,4\n", 5))
	zero := textFile(t, "zero.csv", strings.Repeat("0,0,0,0\n", 5))
	for _, input := range []string{constant, zero} {
		for _, c := range []struct{ method, member, line string }{
			{"kl", "relative_divergence", "deviance explained  100.00 %"},
			{"rnmu --norm l1", "relative_l1", "relative l1 error   0.00 %"},
			{"nmf", "", ""},
		} {
			out := filepath.Join(dir, "out")
			text := succeed(t, append([]string{"factor", input, "--force", "--out", out, "--rank", "2", "--restarts", "1", "--method"}, strings.Fields(c.method)...)...)
			var rep map[string]any
			content, err := os.ReadFile(filepath.Join(out, "result.json"))
			if err == nil {
				err = json.Unmarshal(content, &rep)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, member := range []string{"relative_divergence", "relative_l1"} {
				if x, ok := rep[member].(float64); ok != (member == c.member) || !(x >= 0 && x < 1e-4) {
					t.Errorf("%s, %s: %s is %v", input, c.method, member, rep[member])
				}
			}
			if !strings.Contains(text, c.line) {
				t.Errorf("%s, %s: no %q in %s", input, c.method, c.line, text)
			}
		}
	}
}
