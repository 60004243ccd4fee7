package main

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
)

// npyFile writes a matrix of so many columns.
func npyFile(t *testing.T, cols int, x []float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.npy")
	must.Do(t, matiotest.WriteNpy(path, len(x)/cols, cols, x, cols))
	return path
}

// incomplete returns a 12 x 8 matrix and a mask of it, with x at what is missing.
func incomplete(x float64) (m, mask []float64) {
	for i := range 12 * 8 {
		m, mask = append(m, float64(i*i%17)), append(mask, 1)
		if i%5 == 2 {
			m[i], mask[i] = x, 0
		}
	}
	return m, mask
}

// stable returns what a folder of results holds, but for the time and the name of the
// input.
func stable(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{record.NameV, record.NameW, record.NameResult} {
		if !there(filepath.Join(dir, name)) {
			continue
		}
		text := readText(t, dir, name)
		if name == record.NameResult {
			for _, path := range []string{"result.seconds", "input.path", "settings.missing", "settings.missing_value", "settings.mask", "settings.weights"} { // the last five are as on the command line
				text = edited(text, path, "")
			}
		}
		files[name] = text
	}
	return files
}

// TestMaskedContents: what a file holds where it is masked changes no byte of the
// results, nor does the way to say that an entry is missing.
func TestMaskedContents(t *testing.T) {
	for _, flags := range [][]string{
		{"--method", "nmf"}, {"--method", "gnmu"}, {"--method", "rnmu", "--missing-solver", "exact"},
		{"--method", "nmf", "--improve", "--transpose"}, {"--init", "svd"},
		{"--method", "gnmu", "--feasible", "final", "--precision", "float32"},
	} {
		var want map[string]string
		for k, x := range []float64{0, math.NaN(), 1e30, -1, math.Inf(1), -99.9} {
			m, mask := incomplete(x)
			from, out := []string{npyFile(t, 8, m), "--mask", npyFile(t, 8, mask)}, filepath.Join(t.TempDir(), "out")
			if math.IsNaN(x) {
				from = []string{from[0], "--missing", "allow"}
			} else if x == -99.9 {
				from = []string{from[0], "--missing-value", "-999,-99.9"}
			}
			args := append(append([]string{"factor"}, from...), "--rank", "3", "--iterations", "8", "--out", out)
			succeed(t, append(args, flags...)...)
			got := stable(t, out)
			if k == 0 {
				want = got
				must.Say(t, got[record.NameResult], `"missing_entries":19`, flags)
			}
			for name, text := range got {
				must.Equal(t, text, want[name], flags, "with", x, name, "differs")
			}
		}
	}
}

// TestCompleteMasks: masks and weights of ones, and --missing allow for a matrix that is
// complete, change nothing.
func TestCompleteMasks(t *testing.T) {
	m, all := incomplete(3)
	for i := range all {
		all[i] = 1
	}
	input, whole := npyFile(t, 8, m), npyFile(t, 8, all)
	var want map[string]string
	for k, flags := range [][]string{nil, {"--mask", whole}, {"--weights", whole}, {"--missing", "allow"}} {
		out := filepath.Join(t.TempDir(), "out")
		succeed(t, append([]string{"factor", input, "--rank", "2", "--method", "nmf", "--out", out}, flags...)...)
		got := stable(t, out)
		if k == 0 {
			want = got
		}
		q := regexp.MustCompile(`"(expected_)?q":[^,]*,`) // which weights of any kind ask for
		for name, text := range got {
			if found := len(q.FindAllString(text, -1)); name == "result.json" && found != map[bool]int{true: 2}[slices.Contains(flags, "--weights")] {
				t.Errorf("%v: result.json has %d of Q and its expectation", flags, found)
			}
			must.Equal(t, q.ReplaceAllString(text, ""), want[name], flags, name, "differs")
		}
	}
}

// TestMissingCells: the empty cells of a table are missing, and said so.
func TestMissingCells(t *testing.T) {
	script(t, `
-- m.csv 1,2,4\n2,,8\n3,6,NA\n
-- w.csv 1,1,0.5\n1,1,1\n1,1,2\n
-- n.csv 2,1\nNA,2\n6,3.5\n
-- m.mtx %%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 1\n1 2 2\n1 3 3\n2 1 2\n2 3 6\n3 1 3\n3 2 6\n
factor m.csv --rank 1 --method nmf --solver hals --missing allow | prints: all but 2 entries (22.22 %) | prints: relative error  0.00 %
factor m.csv --rank 1 --missing allow --method nmf --weights w.csv | prints: with weights
factor m.csv --rank 1 --missing allow --out basis
transform basis n.csv --missing allow | prints: all but 1 entries
factor m.mtx --rank 1 --method nmf --sparse-missing | prints: the stored entries | prints: relative error  0.00 %
-- nd.csv 1,2,4\n2,ND,8\n3,6,<24\n
-- u.csv 1,1,0.5\n1,ND,1\n1,1,<1\n
factor nd.csv --rank 1 --missing allow | refused: "ND" | --missing-text
factor nd.csv --rank 1 --missing allow --missing-text ND,n.d. | refused: "<24" | --below half, limit or missing
factor nd.csv --rank 1 --missing allow --missing-text ND --below half --method nmf --weights u.csv | prints: all but 1 entries | prints: relative error  0.00 %
factor nd.csv --rank 1 --missing-text ND --below missing --method nmf --weights u.csv | prints: all but 2 entries | notes: u.csv: table, 3 x 3 | notes: ; 1 cell holds "ND" and no number
-- first.csv id,a,b,c\np,<0.5,2,1\nq,ND,3,2\nr,-9,1,4\n
-- triples.csv row,column,value\na,x,<0.5\na,y,2\nb,x,ND\nb,y,3\nc,x,4\nc,y,-9\n
-- curves/a.csv 400,<0.5\n410,ND\n425,9\n
-- curves/b.csv 400,2\n412,-9\n425,1\n
-- curves/c.csv 400,2\n410,4\n425,1\n
factor first.csv --rank 1 | refused: column 2 ("a") is "<0.5" | --below half, limit or missing
look first.csv --missing-text ND --below missing --missing-value -9 | prints: missing  3 (33.33 %) | prints: 1 entry is -9 and missing
look triples.csv --missing-text ND --below half --missing-value -9 | prints: such as "<0.5", and taken for half | prints: 1 entry is -9 and missing | prints: 0.25        2
factor triples.csv --rank 1 --missing-text ND --below missing --missing-value -9 | refused: --missing allow takes NaN as a missing entry of a dense matrix, which --dense makes
factor triples.csv --rank 1 --method nmf --missing-text ND --below missing --missing-value -9 --dense | prints: all but 3 entries
factor triples.csv --rank 1 --missing mean | refused: dropped (drop-rows), zero (zero) or missing (allow)
look curves --align interpolate --missing-value -9 | refused: curves/a.csv: line 1 | "<0.5" | --below half, limit or missing
look curves --align interpolate --missing-text ND --below half --missing-value -9 | prints: missing  2 (22.22 %) | prints: 1 entry is -9 and missing | prints: 0.25 to 9
`)
}

// TestNumbers: codes of missing entries and negative entries are named where they are refused, and taken as the options
// say, in files of every kind and by every command, with one note of how many they are.
func TestNumbers(t *testing.T) {
	const noise = "--negative clip makes them 0, --negative missing takes them as missing"
	script(t, `
-- coded.csv x,y,z\n1.5,2,4\n2,-999,8\n3,6,-999\n
-- noise.csv id;x;y\na;1,5;2\nb;-0,25;3\nc;4;-0,5\n
-- both.txt 5.5 -9 1\n-0.5 2 3\n1 8 2\n
-- likert.csv x,y,z\n5,-9,4\n2,-8,8\n3,6,-7\n
-- m.mtx %%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 2 -9\n2 2 2\n2 3 -0.5\n3 3 -9\n
-- twice.mtx %%MatrixMarket matrix coordinate real general\n3 3 9\n1 1 -9\n1 1 5\n1 2 1\n2 1 4\n2 2 -3\n2 2 7\n3 3 2\n3 1 1\n3 2 1\n
-- array.mtx %%MatrixMarket matrix array real general\n2 2\n1.5\n-99\n2\n4\n
-- axis.csv ppm,x,y\n-3,1,4\n-2,2,5\n-1,3,3\n0,-9,2\n1,4,8\n2,5,1\n3,1,1\n4,2,2\n
-- w.csv 1,1,1\n1,-999,1\n2,1,-999\n
factor coded.csv --rank 1 | refused: row 2, column 2 of M = -999 is negative (column "y"); M has 2 entries of -999, which looks like a code for a missing value: --missing-value -999
factor noise.csv --rank 1 | refused: row 2, column 1 of M = -0.25 is negative | M has 2 entries below 0, the least is -0.5 and the largest of all 4: `+noise+`
rank both.txt --ranks 1 --folds 1 | refused: M has 1 entry of -9, which looks like a code | --missing-value -9; M has 1 entry below 0, the least is -0.5
consensus likert.csv --ranks 1 | refused: M has 3 entries below 0, the least is -9 and the largest of all 8: `+noise+`
factor m.mtx --rank 1 | refused: M has 2 entries of -9, which looks like a code | M has 1 entry below 0
factor m.mtx --rank 1 --missing-value -9 --negative clip | refused: NaN | --missing allow takes NaN as a missing entry of a dense matrix, which --dense makes
factor coded.csv --rank 1 --missing-value nan | refused: choose finite numbers, such as -999
factor coded.csv --rank 1 --method nmf --missing-value -999 --out coded | prints: all but 2 entries (22.22 %) | notes: ; 2 entries are -999 and missing | notes no: 2 numbers
factor coded.csv --rank 1 --method nmf --missing-value -9 --missing-value -999 --weights w.csv | notes: ; no entry is -9; 2 entries are -999 and missing | notes: w.csv: table, 3 x 3 | notes no: -9 and | prints: all but 2 entries
factor coded.csv --rank 1 --method nmf --missing-value -999 --missing drop-rows | prints: 1 x 3 | notes: left out: 2 of 3 rows with missing numbers; | notes: 2 entries are -999 and missing
factor coded.csv --rank 1 --method nmf --missing-value -999 --missing mean | notes: 2 missing numbers are set to the means of their columns
factor noise.csv --rank 1 --method nmf --negative clip | notes: ; 2 entries are negative and set to 0: the least is -0.5, the largest of all 4 | prints no: observed
factor noise.csv --rank 1 --method nmf --negative missing | notes: ; 2 entries are negative and missing: the least is -0.5 | prints: all but 2 entries
factor both.txt --rank 1 --method nmf --missing-value -9 --negative clip | notes: ; 1 entry is -9 and missing; 1 entry is negative and set to 0: the least is -0.5 | prints: all but 1 entries
factor axis.csv --rank 1 --method nmf --missing-value -9 --negative clip | notes: rows "-3" to "4" | notes: 1 entry is -9 and missing; no entry is negative
factor m.mtx --rank 1 --method nmf --missing-value -9 --negative clip --dense | notes: ; 2 entries are -9 and missing; 1 entry is negative | prints: all but 2 entries
factor m.mtx --rank 1 --method nmf --negative clip | notes: ; 3 entries are negative and set to 0: the least is -9
factor twice.mtx --rank 1 --method nmf --missing-value -9 --negative clip --dense | prints: all but 1 entries
look twice.mtx --missing-value -9 --negative clip | prints: missing  1 (11.11 %) | prints: 2        4  7  0
convert twice.mtx sparse2 --missing-value -9 --negative clip | prints: sparse, 7 entries
factor array.mtx --rank 1 --method nmf --missing-value -99 | notes: ; 1 entry is -99 and missing | prints: all but 1 entries
transform coded coded.csv | prints: all but 2 entries | notes: ; 2 entries are -999 and missing
report coded | notes: ; 2 entries are -999 and missing
look both.txt | prints: advised   nmu rank both.txt --ranks 1:2 --missing-value -9 --negative clip
look m.mtx --missing-value -9 --negative missing | prints: 2 entries are -9 and missing; 1 entry is negative and missing | prints: advised  nmu rank m.mtx --ranks 1:2 --missing-value -9 --negative missing
look likert.csv | prints: advised   nmu rank likert.csv --ranks 1:2
convert coded.csv noise.npy --missing-value -999 | notes: 2 entries are -999 and missing
convert m.mtx sparse --negative clip | notes: 3 entries are negative and set to 0: the least is -9 | prints: sparse, 2 entries
factor noise.npy --rank 1 --missing allow --method nmf | prints: all but 2 entries
`)
}

// TestMissingErrors: what is wrong with a mask is said of the file that holds it. Rows and columns without an observed entry
// are left out, as if they were skipped.
func TestMissingErrors(t *testing.T) {
	script(t, `
-- m.csv 1,2,4\n2,4,8\n3,6,12\n
-- small.csv 1,1\n1,0\n
-- row.csv 1,1,0\n0,0,0\n1,1,1\n
-- column.csv 1,1,0\n0,1,0\n1,1,0\n
-- negative.csv 1,1,-1\n2,2,2\n1,1,1\n
-- one.csv 1,1,0\n1,1,1\n1,1,1\n
-- empty.csv id,a,b\np,1,2\nq,2,1\nr,,\ns,3,4\n
-- all.csv 1,1\n1,1\n0,0\n1,1\n
-- w.csv 1,2\n
-- r.txt r\n
-- coded.csv id,a,b\np,1,2\nq,2,1\nr,-999,-999\ns,3,4\n
-- below.csv id,a,b\np,1,2\nq,2,1\nr,-0.5,-1\ns,3,4\n
factor m.csv --rank 1 --mask small.csv | refused: --mask | 2 x 2 | 3 x 3
factor m.csv --rank 1 --mask row.csv | notes: left out: 1 row of 3 without an observed entry, whose factors are NaN
factor m.csv --rank 1 --mask column.csv | notes: left out: 1 column of 3 without an observed entry
factor m.csv --rank 1 --weights negative.csv | refused: --weights | row 1, column 3 of the weights = -1
factor m.csv --rank 1 --mask nowhere.npy | refused: --mask | nowhere
factor m.csv --rank 1 --missing-solver best | refused: --missing-solver best | majorize or exact
factor m.csv --rank 1 --sparse-missing | refused: --sparse-missing | sparse matrix
factor m.csv --rank 1 --method hoyer --hoyer-v 0.5 --mask one.csv | refused: method hoyer with missing entries
factor empty.csv --rank 1 --missing allow --fix-w w.csv | refused: row 3 of M has no observed entry | (row "r") | --skip-rows FILE
factor empty.csv --rank 1 --missing allow --out left --write csv | notes: left out: 1 row of 4 without an observed entry, whose factors are NaN | left/V.csv: r,NaN
factor empty.csv --rank 1 --missing allow --out skipped --skip-rows r.txt --mask all.csv | notes: 1 row of 4
report left | prints: written
transform left empty.csv | prints: all but 2 entries | notes: BASIS has left out 1 row of 4
rank empty.csv --ranks 1 --folds 1 --missing allow --transpose | notes: left out: 1 column of 4 without an observed entry | prints: empty.csv, transposed, 2 x 4
consensus empty.csv --ranks 1 --runs 2 --missing allow --transpose | notes: left out: 1 column of 4 without an observed entry
factor coded.csv --rank 1 --missing-value -999 --out coded | notes: left out: 1 row of 4 without an observed entry | coded/V.npy same: left/V.npy
factor below.csv --rank 1 --negative missing --out below | notes: left out: 1 row of 4 without an observed entry | below/V.npy same: skipped/V.npy
`)
}

// TestMajorizeNote: --missing-solver majorize with weights for which exact is the default prints a
// note that names exact, and no other run does. A solver without anything to solve has a note as well.
func TestMajorizeNote(t *testing.T) {
	script(t, `
-- m.csv 1,2,3,1\n2,1,4,2\n3,3,1,5\n
-- w5.csv 1,1,2,1.5\n5,1,1,1\n1,2,2,1\n
-- w100.csv 1,1,2,1.5\n100,1,1,1\n1,2,2,1\n
factor m.csv --rank 2 --iterations 3 --method nmf --weights w100.csv --missing-solver majorize | notes: the missing solver majorize may stop far from the minimum; exact, the default, does not
factor m.csv --rank 2 --iterations 3 --method nmf --weights w5.csv --missing-solver majorize | notes no: majorize
factor m.csv --rank 2 --iterations 3 --method gnmu --weights w5.csv --missing-solver majorize | notes: the missing solver majorize may stop
factor m.csv --rank 2 --iterations 3 --method nmf --weights w100.csv --missing-solver exact | notes no: majorize
factor m.csv --rank 2 --iterations 3 --method nmf --weights w100.csv | notes no: majorize
factor m.csv --rank 2 --iterations 3 --missing-solver exact | notes: the missing solver exact has no effect: M has neither missing entries nor weights that differ
rank m.csv --ranks 1 --folds 1 --restarts 2 --missing-solver exact | notes: the missing solver exact has no effect
rank m.csv --ranks 1 --folds 2 --missing-solver exact | notes no: has no effect
consensus m.csv --ranks 2 --runs 2 --missing-solver exact | notes: the missing solver exact has no effect
`)
}
