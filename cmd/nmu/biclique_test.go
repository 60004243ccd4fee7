package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// One graph as a dense matrix and as a list of edges.
func TestBiclique(t *testing.T) {
	dense := textFile(t, "g.csv", "1,1,1,0,1\n1,0,0,1,0\n0,1,1,0,1\n0,1,1,1,1\n")
	edges := textFile(t, "g.mtx", `%%MatrixMarket matrix coordinate pattern general
4 5 13
1 1
1 2
1 3
1 5
2 1
2 4
3 2
3 3
3 5
4 2
4 3
4 4
4 5
`)
	for _, input := range []string{dense, edges} {
		var rep bicliqueReport
		if err := json.Unmarshal([]byte(succeed(t, "biclique", input, "--json")), &rep); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rep.Rows, []int{0, 2, 3}) || !slices.Equal(rep.Cols, []int{1, 2, 4}) || rep.Edges != 9 ||
			!rep.Maximal || rep.Bound < 9 || rep.GraphEdges != 13 || rep.GraphRows != 4 || rep.GraphCols != 5 {
			t.Errorf("%s: %+v", input, rep)
		}
		table := succeed(t, "biclique", input, "--starts", "5", "--seed", "3", "--iters", "10", "--threads", "2")
		for _, s := range []string{"3 x 3, 9 edges", "0 2 3", "1 2 4", "a biclique"} {
			if !strings.Contains(table, s) {
				t.Errorf("no %q in\n%s", s, table)
			}
		}
	}
	fails(t, []string{"g.csv", "row 2, column 1 of M = 2 is neither 0 nor 1"}, "biclique", textFile(t, "g.csv", "1,0\n2,1\n"))
	fails(t, []string{"one INPUT, got 0"}, "biclique")
	fails(t, []string{"--starts 0"}, "biclique", dense, "--starts", "0")
	fails(t, []string{"--iters 0"}, "biclique", dense, "--iters", "0")
	fails(t, []string{"--threads 0"}, "biclique", dense, "--threads", "0")
	if out := succeed(t, "biclique", textFile(t, "g.csv", "0,0\n0,0\n")); !strings.Contains(out, "0 x 0, 0 edges") {
		t.Errorf("a graph without edges: %s", out)
	}
}
