package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// A sparse file is factored as a sparse matrix, unless it is to be made dense.
func TestFactorSparse(t *testing.T) {
	set := dataset.Swimmer()
	m := lnmu.NewDense(set.Rows, set.Cols, set.Data)
	csr := lnmu.NewCSR(m)
	var text strings.Builder
	fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", csr.Rows, csr.Cols, len(csr.Val))
	for i := range csr.Rows {
		for p := csr.Ptr[i]; p < csr.Ptr[i+1]; p++ {
			fmt.Fprintln(&text, i+1, csr.Idx[p]+1, csr.Val[p])
		}
	}
	path := textFile(t, "swimmer.mtx", text.String())

	args := []string{"factor", path, "--rank", "4", "--method", "gnmu", "--iterations", "20", "--restarts", "1", "--seed", "3"}
	settings := &lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}, Start: lnmu.Start{Restarts: 1, Seed: 3}}
	want := must.Get(lnmu.Factor(t.Context(), csr, 4, lnmu.GNMU{}, settings))(t)
	rep := parseReport(t, []byte(succeed(t, append(args, "--json")...)))
	if rep.SHA256V != factors.SHA256(want.V) || rep.SHA256W != factors.SHA256(want.W) || rep.Entries != len(csr.Val) || rep.MaxViolation != want.MaxViolation {
		t.Errorf("the result is not that of lnmu.Factor: %+v", rep)
	}
	if out, says := succeed(t, args...), fmt.Sprintf("220 x 256, sparse, %d entries", len(csr.Val)); !strings.Contains(out, says) {
		t.Errorf("no %q in\n%s", says, out)
	}

	want = must.Get(lnmu.Factor(t.Context(), m, 4, lnmu.GNMU{}, settings))(t)
	rep = parseReport(t, []byte(succeed(t, append(args, "--dense", "--json")...)))
	if rep.SHA256V != factors.SHA256(want.V) || rep.SHA256W != factors.SHA256(want.W) || rep.Entries != 0 {
		t.Errorf("the result with --dense is not that of Factor: %+v", rep)
	}

	for _, c := range []struct{ says, args string }{
		{"feasible final on a sparse matrix", "--method gnmu --feasible final"},
		{"norm l1 on a sparse matrix", "--method rnmu --norm l1"},
	} {
		fails(t, []string{c.says, "--dense"}, append([]string{"factor", path, "--rank", "4"}, strings.Fields(c.args)...)...)
	}
}

// A bound on the violation is called one.
func TestBoundText(t *testing.T) {
	var out strings.Builder
	var rep record.Factor
	rep.Settings.Method = "rnmu"
	rep.MaxViolation, rep.ViolationBound = 0.25, true
	if err := rep.Show(&out, false, "", nil); err != nil || !strings.Contains(out.String(), "at most 0.25") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// A list of triples is factored as a sparse matrix, with its names.
func TestTriplesCommand(t *testing.T) {
	script(t, `
-- ratings.csv user,film,stars\nann,x,3\nbob,y,4\nann,y,5\n
-- bad.csv row,column,value\n1,2,3\n1,2\n
factor ratings.csv --triples --rank 1 --iterations 5 --write csv --out out | prints: 2 x 2, sparse, 3 entries | notes: list of 3 entries by row, column and value | out/V.csv: ann, | out/V.csv: bob,
factor bad.csv --rank 1 | refused: line 3
`)
}

// gapFiles writes a matrix of 20 columns with NaN in every seventh entry or so, a mask of bytes and
// weights of it, and returns their folder.
func gapFiles(t *testing.T, rows int) string {
	t.Helper()
	const cols = 20
	dir := t.TempDir()
	m, weights := lnmu.NewDense[float64](rows, cols, nil), lnmu.NewDense[float64](rows, cols, nil)
	var mask []byte
	for i := range rows {
		for j := range cols {
			if m.Row(i)[j] = float64(i * (j + 3) % 1009); (i*i+j)%7 == 2 || i+j == 0 {
				m.Row(i)[j] = math.NaN()
			}
			weights.Row(i)[j] = float64(1 + (i+j)%3)
			mask = append(mask, byte((i+2*j)%5))
		}
	}
	writeMatrix(t, filepath.Join(dir, "gaps.npy"), m)
	writeMatrix(t, filepath.Join(dir, "weights.npy"), weights)
	write(t, filepath.Join(dir, "mask.npy"), npy("|u1", fmt.Sprintf("(%d, %d)", rows, cols), mask))
	return dir
}

// TestStoredGapsRefused: NaN entries of a matrix that stays in its file are refused unless they may be missing.
func TestStoredGapsRefused(t *testing.T) {
	t.Chdir(gapFiles(t, 50_000))
	args := strings.Fields("factor gaps.npy --rank 2 --iterations 2 --restarts 1 --threads 1 --memory")
	within := fmt.Sprint(needed(t, append(args, "1MB")...), "B")
	fails(t, []string{"row 1, column 1 of M = NaN", "--missing allow"}, append(args, within)...)
}

// TestPartsOfWeights: a process takes the memory of its part of the weights, not of all 8 MB. The rows of its copy of M
// have 16 numbers instead of 10, as they fill cache lines.
func TestPartsOfWeights(t *testing.T) {
	path := largeFile(t) // its zeros are missing
	args := []string{"factor", path, "--weights", path, "--rank", "2", "--method", "nmf", "--solver", "hals", "--missing-solver", "majorize", "--iterations", "2", "--restarts", "1", "--threads", "1", "--json", "--quiet"}
	want := succeed(t, args...)
	limit := fmt.Sprint(work.Process()+21_000_000, "B")
	repeated(t, want, 3, false, append(args, "--max-memory", limit)...)
}
