package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nmu/internal/record"
)

// TestPenaltiesLeaveNothing: a run whose penalties leave nothing of V and W says so, and the penalties
// that it names leave something.
func TestPenaltiesLeaveNothing(t *testing.T) {
	random := randomNumbers(3)
	for _, c := range []struct {
		rows, cols        int
		scale, positive   float64
		method, penalties string
	}{
		{30, 20, 1, 1, "snmf --solver hals", "10"}, {30, 20, 1e6, 1, "snmf", "1e13"},
		{12, 60, 1e-5, 0.1, "snmf", "1"}, {60, 40, 20, 0.02, "snmf", "1e4"},
	} {
		var text strings.Builder
		for range c.rows {
			for j := range c.cols {
				x := 0.0
				if random() < c.positive {
					x = c.scale * random()
				}
				fmt.Fprintf(&text, "%g%c", x, map[bool]rune{false: ',', true: '\n'}[j == c.cols-1])
			}
		}
		input, out := textFile(t, "m.csv", text.String()), filepath.Join(t.TempDir(), "out")
		run := func(penalty string) string {
			args := "factor " + input + " --rank 3 --iterations 100 --out " + out + " --method " + c.method + " --penalty-v " + penalty + " --penalty-w " + penalty
			_, stderr := noted[record.Factor](t, strings.Fields(args)...)
			return stderr
		}
		found := regexp.MustCompile(`the penalties have left nothing of V and W; choose smaller ones, for example (\S+) for both`).FindStringSubmatch(run(c.penalties))
		if found == nil || len(result(t, out).Notes) == 0 {
			t.Fatalf("%+v: no note", c)
		}
		if note := run(found[1]); strings.Contains(note, "left nothing") || !(result(t, out).RelativeError < 0.99) {
			t.Errorf("%+v: penalties of %s leave a relative error of %v, %s", c, found[1], result(t, out).RelativeError, note)
		}
	}
	zero := textFile(t, "zero.csv", "0,0\n0,0\n")
	if _, _, stderr := nmu("factor", zero, "--rank", "1", "--method", "snmf", "--penalty-v", "1", "--penalty-w", "1"); strings.Contains(stderr, "left nothing") {
		t.Errorf("a zero matrix: %s", stderr)
	}
}

// TestTargetsLeaveNothing: a run that ends when the penalties of its target sparsities have cleared the
// only factor says so, and smaller targets leave something.
func TestTargetsLeaveNothing(t *testing.T) {
	input := textFile(t, "m.csv", "1,0,2\n0,3,0\n5,0,1\n")
	out, cleared := filepath.Join(t.TempDir(), "out"), 0
	for k := range 40 { // the penalties grow until the factor vanishes, and it is drawn anew
		run := func(target string) (stderr string, relative float64) {
			args := strings.Fields(fmt.Sprintf("factor %s --rank 1 --method snmf --sparsity-v %s --sparsity-w %s --iterations %d --restarts 1 --out %s", input, target, target, 40+k, out))
			rep, stderr := noted[record.Factor](t, args...)
			return stderr, rep.RelativeError
		}
		stderr, relative := run("1")
		nothing := relative == 1
		if said := strings.Contains(stderr, "target sparsities have left nothing of V and W"); said != nothing || nothing && len(result(t, out).Notes) == 0 {
			t.Errorf("%d iterations: a relative error of %v, %s", 40+k, relative, stderr)
		}
		if !nothing {
			continue
		}
		cleared++
		if stderr, relative := run("0.3"); relative > 0.9 || strings.Contains(stderr, "left nothing") {
			t.Errorf("%d iterations with smaller targets: a relative error of %v, %s", 40+k, relative, stderr)
		}
	}
	if cleared == 0 {
		t.Error("no run has cleared its factor")
	}
}
