package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
)

// The names of rows and columns travel from a table to all results, and the tables
// among these are read again with the same names and numbers.
func TestNames(t *testing.T) {
	input := textFile(t, "m.csv", "gene;x y;\"z;1\"\nr1;0,5;1\nr2;1;2\nr3;0;1\n")
	dir := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := nmu("factor", input, "--rank", "1", "--method", "nmf", "--out", dir, "--write", "csv,mat", "--top", "2")
	if status != 0 {
		t.Fatalf("status %d, %s", status, stderr)
	}
	contains(t, stderr, "nmu: note: ", "semicolons", "the decimal sign is a comma", "(row 1)", "(column 1, ")
	if want := "factor 1\n  rows     r2, r1\n  columns  z;1, x y\n"; !strings.Contains(stdout, want) {
		t.Errorf("output lacks %q: %s", want, stdout)
	}
	holds(t, dir, record.NameVTable, record.NameV, record.NameWTable, record.NameW, record.NameMat, record.NameResult)
	rep := result(t, dir)
	if !slices.Equal(rep.RowNames, []string{"r1", "r2", "r3"}) || !slices.Equal(rep.ColNames, []string{"x y", "z;1"}) {
		t.Errorf("result.json: %+v", rep)
	}
	if len(rep.Top) != 1 || len(rep.Top[0].Rows) != 2 || rep.Top[0].Rows[0].Name != "r2" || rep.Top[0].Rows[0].Index != 2 {
		t.Errorf("top: %+v", rep.Top)
	}
	// V.csv, and V of factors.mat, are V.npy, and so its factors are the same.
	sums := map[string]bool{}
	for _, args := range [][]string{{filepath.Join(dir, record.NameV)}, {filepath.Join(dir, record.NameVTable)}, {filepath.Join(dir, record.NameMat), "--var", "V"}} {
		rep := parsed[record.Factor](t, succeed(t, append([]string{"factor", "--rank", "1", "--method", "nmf", "--json"}, args...)...))
		sums[rep.SHA256V+rep.SHA256W] = true
	}
	if len(sums) != 1 {
		t.Errorf("the formats of V hold %d matrices", len(sums))
	}
	// A run without tables takes those of the one before away.
	succeed(t, "factor", input, "--rank", "1", "--method", "nmf", "--out", dir)
	holds(t, dir, record.NameV, record.NameW, record.NameResult)
}

func TestNamesInErrors(t *testing.T) {
	fails(t, []string{`row 2, column 1 of M = -999`, "if -999 stands for a missing number, write NA or NaN instead, and choose --missing allow"}, "factor", textFile(t, "m.csv", "id,a,b\nr1,1,2\nr2,-999,3\n"), "--rank", "1")
	fails(t, []string{`row 2, column 1 of M = -1`, `(row "r2", column "a")`}, "factor", textFile(t, "m.csv", "id,a,b\nr1,1,2\nr2,-1,3\n"), "--rank", "1")
}

func TestNameFiles(t *testing.T) {
	input := textFile(t, "m.csv", "1,2\n3,4\n5.5,6\n")
	rows, cols := textFile(t, "rows.txt", "a\nb\r\nc\n"), textFile(t, "cols.txt", "x\ny\n")
	for _, transposed := range []bool{false, true} {
		args := []string{"factor", input, "--rank", "1", "--top", "9"}
		r, c := rows, cols
		if transposed {
			args, r, c = append(args, "--transpose"), cols, rows
		}
		out := succeed(t, append(args, "--row-names", r, "--col-names", c)...)
		want := "  rows     c, b, a\n  columns  y, x\n"
		if transposed {
			want = "  rows     y, x\n  columns  c, b, a\n"
		}
		if !strings.Contains(out, want) {
			t.Errorf("transposed %v: %s, want %q", transposed, out, want)
		}
	}
	fails(t, []string{"--row-names", "has 2 names for 3 rows"}, "factor", input, "--rank", "1", "--row-names", cols)
	fails(t, []string{"--col-names", "has 3 names for 2 columns"}, "factor", input, "--rank", "1", "--col-names", rows)
	fails(t, []string{"--row-names", "nowhere"}, "factor", input, "--rank", "1", "--row-names", filepath.Join(t.TempDir(), "nowhere"))
}

func TestTableFlags(t *testing.T) {
	input := textFile(t, "m.csv", "1,2\n3,4\n")
	for _, c := range []struct {
		says []string
		args []string
	}{
		{[]string{"--sep", "semicolon"}, []string{"--sep", "&"}},
		{[]string{"--decimal", "point or comma"}, []string{"--decimal", "x"}},
		{[]string{"--header", "yes or no"}, []string{"--header", "maybe"}},
		{[]string{"--row-labels", "yes or no"}, []string{"--row-labels", "maybe"}},
		{[]string{"--missing", "drop-rows"}, []string{"--missing", "guess"}},
		{[]string{`"c"`}, []string{"--skip-columns", "c"}},
		{[]string{"--write", "--out"}, []string{"--write", "csv"}},
		{[]string{"--write xls: choose npy or csv or mat or envi"}, []string{"--write", "xls", "--out", t.TempDir()}},
		{[]string{"--top 0"}, []string{"--top", "0"}},
	} {
		fails(t, c.says, append([]string{"factor", input, "--rank", "1"}, c.args...)...)
	}
	fails(t, []string{"row 1, column 2 is empty", "--missing"}, "factor", textFile(t, "m.csv", "1,\n2,3\n"), "--rank", "1")
	fails(t, []string{`"x"`, "--skip-columns"}, "factor", textFile(t, "m.csv", "a,b\n1,x\n2,3\n"), "--rank", "1")
	fails(t, []string{`"1.5,2"`, "--decimal"}, "factor", textFile(t, "m.csv", "a;b\n1;1.5,2\n2;3\n"), "--rank", "1")
}

// Standard input is a table, or what it shows to be.
func TestStandardInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npy")
	must.Do(t, matiotest.WriteNpy(path, 2, 2, []float64{1, 0.5, 2, 4}, 2))
	npy := must.Get(os.ReadFile(path))(t)
	for _, text := range []string{"1,0.5\n2,4\n", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n0.5\n4\n", string(npy)} {
		status, stdout, stderr := nmuFrom(strings.NewReader(text), "factor", "-", "--rank", "2", "--method", "nmf")
		if status != 0 || !strings.Contains(stdout, "-, 2 x 2") {
			t.Errorf("%.20q: status %d, %s%s", text, status, stdout, stderr)
		}
	}
	status, _, stderr := nmuFrom(strings.NewReader("1 0.5\n2 4\n"), "factor", "-", "--rank", "2", "--format", "mat")
	if status != exit.StatusError || !strings.Contains(stderr, "standard input: ") {
		t.Errorf("a table as .mat: status %d, %s", status, stderr)
	}
}
