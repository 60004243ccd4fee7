package main

import (
	"slices"
	"testing"
)

// One graph as a dense matrix and as a list of edges.
func TestBiclique(t *testing.T) {
	script(t, `
-- g.csv 1,1,1,0,1\n1,0,0,1,0\n0,1,1,0,1\n0,1,1,1,1\n
-- g.mtx %%MatrixMarket matrix coordinate pattern general\n4 5 13\n1 1\n1 2\n1 3\n1 5\n2 1\n2 4\n3 2\n3 3\n3 5\n4 2\n4 3\n4 4\n4 5\n
-- two.csv 1,0\n2,1\n
-- gap.csv 1,0,0\n1,1,\n0,0,1\n
-- none.csv 0,0\n0,0\n
biclique g.csv --starts 5 --seed 3 --iterations 10 --threads 2 | prints: 3 x 3, 9 edges | prints: 0 2 3 | prints: 1 2 4 | prints: a biclique
biclique g.mtx --starts 5 --seed 3 --iterations 10 --threads 2 | prints: 3 x 3, 9 edges | prints: 0 2 3 | prints: 1 2 4 | prints: a biclique
biclique gap.csv --missing zero | prints: 3 x 3, 4 edges
biclique gap.csv --missing allow | refused: --missing allow | choose zero, drop-rows or drop-cols
biclique two.csv | refused: two.csv | row 2, column 1 of M = 2 is neither 0 nor 1
biclique | refused: one INPUT, got 0
biclique g.csv --starts 0 | refused: --starts 0
biclique g.csv --iterations 0 | refused: --iterations 0
biclique g.csv --threads 0 | refused: --threads 0
biclique none.csv | prints: 0 x 0, 0 edges
`)
	for _, input := range []string{"g.csv", "g.mtx"} {
		rep := parsed[bicliqueReport](t, succeed(t, "biclique", input, "--json"))
		if !slices.Equal(rep.Rows, []int{0, 2, 3}) || !slices.Equal(rep.Cols, []int{1, 2, 4}) || rep.Edges != 9 ||
			!rep.Maximal || rep.Bound < 9 || rep.GraphEdges != 13 || rep.GraphRows != 4 || rep.GraphCols != 5 {
			t.Errorf("%s: %+v", input, rep)
		}
	}
}
