package main

import "testing"

// nmu look says how a file is read, and what it holds.
func TestLook(t *testing.T) {
	script(t, `
-- t.csv id,a,b\nx,1,2\ny,3,0\nz,5,7\n
look t.csv | prints: read as  table, 3 x 2; rows "x" to "z" (column 1, "id"); columns "a" to "b" (row 1) | prints: entries  0 to 7 | prints: zeros    1 (16.67 %) | prints: missing  0 (0.00 %) | prints: counts   yes | prints: nmu rank t.csv --ranks 1:1 --method kl | prints: y  3  0 | notes no: nmu
look t.csv --transpose --json | prints: "schema": "nmu-look/1" | prints: "rows": 2, | prints: "counts": true
look t.csv --row-labels no | refused: row 1, column 1
-- gaps.csv 0.5,,1\n2,-3,1\n
look gaps.csv | prints: entries   -3 to 2 | prints: missing   1 (16.67 %) | prints: negative  1 (16.67 %) | prints: counts    no | prints: --missing allow | prints: missing | notes no: nmu
-- s.mtx %%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 4\n2 3 0.5\n
look s.mtx | prints: 2 x 3, sparse | prints: zeros    4 (66.67 %) | prints: counts   no | prints: 0  0  0.5
-- curves/a.xy # angle counts\n10 1\n20 3\n
-- curves/b.xy 10 1\n15 2\n30 5\n
look curves | refused: the axis of b.xy, its column 1, is not that of a.xy: 15 instead of 20 in row 2; --align interpolate
look curves --align interpolate | prints: folder of two-column files, cells separated by blanks, 2 x 2; rows "10" to "20" (column 1 of a.xy); columns "a.xy" to "b.xy" (the files) | prints: 1 of 2 files, first b.xy, interpolated linearly on the axis of a.xy, from 10 to 20 | prints: 20     3     3 | prints: rank curves --ranks 1:1 --align interpolate
-- none.csv a,b\n
look none.csv | refused: empty
look missing.csv | refused: no such file
`)
}
