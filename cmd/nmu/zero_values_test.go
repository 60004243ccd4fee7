package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/record"
	"nmu/lnmu/compare"
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
			rep := parsed[any](t, readText(t, out, record.NameResult))
			for _, name := range []string{"relative_divergence", "relative_l1"} {
				if x, ok := member(rep, "result."+name).(float64); ok != (name == c.member) || !(x >= 0 && x < 1e-4) {
					t.Errorf("%s, %s: %s is %v", input, c.method, name, x)
				}
			}
			if !strings.Contains(text, c.line) {
				t.Errorf("%s, %s: no %q in %s", input, c.method, c.line, text)
			}
		}
	}
}

// TestInfiniteNumbers: a divergence that is infinite is null in every file, and is said to be so in every table, note and
// page; the files can be read again.
func TestInfiniteNumbers(t *testing.T) {
	script(t, `
-- m.csv 1,2,3,4\n2,4,6,8\n1,1,1,1\n
-- V.csv 1\n2\n0\n
factor m.csv --rank 1 --method kl --fix-v V.csv --iterations 20 --out run --tolerance 1e-9 | prints: divergence is infinite | run/result.json: "relative_divergence": null
report run | run/report.html: is infinite | run/report.html no: Inf
transform run m.csv --out new --json | prints: divergence is infinite | prints: "relative_divergence": null
transform run m.csv | prints: divergence is infinite
`)
	rep := parsed[any](t, readText(t, "run", record.NameResult))
	if notes, history := fmt.Sprint(member(rep, "result.notes")), fmt.Sprint(member(rep, "result.blocks.history")); !strings.Contains(notes, "divergence is infinite") || !strings.Contains(history, "<nil>") {
		t.Errorf("notes %s, history %s", notes, history)
	}
	if _, err := record.Parse([]byte(readText(t, "new", record.NameResult))); err != nil {
		t.Error(err)
	}
	point, err := json.Marshal(compare.StabilityPoint[float64]{Rank: 2, Error: math.Inf(1), RunError: 0.5})
	if err != nil || !strings.Contains(string(point), `"error":null`) {
		t.Errorf("%s, %v", point, err)
	}
	if rep := parsed[map[string]any](t, string(point)); rep["run_error"] != 0.5 || rep["rank"] != 2.0 {
		t.Errorf("consensus: %s", point)
	}
}
