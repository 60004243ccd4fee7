package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/cmd/internal/record"
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

// TestInfiniteNumbers: a divergence that is infinite is null in every file, and is said to be so in every table, note and
// page; the files can be read again.
func TestInfiniteNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		write(t, name, text)
	}
	write("m.csv", "1,2,3,4\n2,4,6,8\n1,1,1,1\n")
	write("V.csv", "1\n2\n0\n")
	write("W.csv", "1,2,3,4\n")
	parsed := func(text string) (rep map[string]any) {
		if err := json.Unmarshal([]byte(text), &rep); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return rep
	}
	null := func(what string, rep map[string]any, member string) {
		if x, ok := rep[member]; !ok || x != nil {
			t.Errorf("%s: %s is %v, want null", what, member, x)
		}
	}
	kl := []string{"factor", "m.csv", "--rank", "1", "--method", "kl", "--fix-v", "V.csv", "--iters", "20"}
	const infinite = "divergence is infinite"
	if text := succeed(t, append(kl, "--out", "run", "--tol", "1e-9")...); !strings.Contains(text, infinite) {
		t.Errorf("the table does not say it: %s", text)
	}
	content, err := os.ReadFile(filepath.Join("run", "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	rep := parsed(string(content))
	null("factor", rep, "relative_divergence")
	if notes, history := fmt.Sprint(rep["notes"]), fmt.Sprint(rep["history"]); !strings.Contains(notes, infinite) || !strings.Contains(history, "<nil>") {
		t.Errorf("notes %s, history %s", notes, history)
	}
	succeed(t, "report", "run")
	page, err := os.ReadFile(filepath.Join("run", "report.html"))
	if err != nil || !strings.Contains(string(page), "is infinite") || strings.Contains(string(page), "Inf") {
		t.Errorf("the page does not say it: %v", err)
	}
	new := parsed(succeed(t, "transform", "run", "m.csv", "--out", "new", "--json"))
	null("transform", new, "relative_divergence")
	if !strings.Contains(fmt.Sprint(new["notes"]), infinite) {
		t.Errorf("notes %v", new["notes"])
	}
	if text := succeed(t, "transform", "run", "m.csv"); !strings.Contains(text, infinite) {
		t.Errorf("the table does not say it: %s", text)
	}
	if content, err = os.ReadFile(filepath.Join("new", "result.json")); err == nil {
		_, err = record.Parse(content)
	}
	if err != nil {
		t.Error(err)
	}
	point, err := json.Marshal(compare.StabilityPoint[float64]{Rank: 2, Error: math.Inf(1), RunError: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	null("consensus", parsed(string(point)), "error")
	if rep := parsed(string(point)); rep["run_error"] != 0.5 || rep["rank"] != 2.0 {
		t.Errorf("consensus: %s", point)
	}
}
