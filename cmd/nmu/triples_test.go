package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A list of triples is factored as a sparse matrix, with its names.
func TestTriplesCommand(t *testing.T) {
	m := textFile(t, "ratings.csv", "user,film,stars\nann,x,3\nbob,y,4\nann,y,5\n")
	out := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := nmu("factor", m, "--triples", "--rank", "1", "--iters", "5", "--write", "csv", "--out", out)
	if status != 0 || !strings.Contains(stdout, "2 x 2, sparse, 3 entries") || !strings.Contains(stderr, "a list of 3 entries by row, column and value") {
		t.Errorf("%d: %s%s", status, stdout, stderr)
	}
	if v := readText(t, out, "V.csv"); !strings.Contains(v, "\nann,") || !strings.Contains(v, "\nbob,") {
		t.Errorf("V.csv %q", v)
	}
	fails(t, []string{"line 3"}, "factor", textFile(t, "bad.csv", "row,column,value\n1,2,3\n1,2\n"), "--rank", "1")
}
