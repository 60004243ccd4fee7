package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNotesOfComparisons: nmu rank and nmu consensus print the notes on the results of their runs, and
// write them to their files.
func TestNotesOfComparisons(t *testing.T) {
	input := textFile(t, "m.csv", "1,2,3,1\n2,1,4,2\n3,3,1,5\n1,5,2,2\n")
	for name, args := range map[string]string{
		"rank":      "rank " + input + " --ranks 1,2 --folds 1 --restarts 2",
		"consensus": "consensus " + input + " --ranks 1,2 --runs 3",
	} {
		for _, c := range []struct {
			penalty string
			noted   bool
		}{{"1e6", true}, {"1e-6", false}} {
			out := filepath.Join(t.TempDir(), "out")
			_, stderr := noted[any](t, append(strings.Fields(args), "--iterations", "500", "--method", "snmf", "--penalty-v", c.penalty, "--penalty-w", c.penalty, "--out", out)...)
			page := readText(t, out, name+".html")
			written := parsed[struct{ Result struct{ Notes []string } }](t, readText(t, out, name+".json"))
			if (len(written.Result.Notes) > 0) != c.noted || strings.Contains(stderr, "left nothing") != c.noted {
				t.Errorf("%s, penalties %s: notes %q, printed %q", name, c.penalty, written.Result.Notes, stderr)
			}
			for _, note := range written.Result.Notes {
				if strings.Count(stderr, note) != 1 || strings.Count(page, note) != 1 {
					t.Errorf("%s: the note %q is not once in %q and in the page", name, note, stderr)
				}
			}
		}
	}
}
