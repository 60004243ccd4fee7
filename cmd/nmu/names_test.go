package main

import (
	"compress/gzip"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/options"
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
	must.Equal(t, len(sums), 1, "the formats of V hold")
	// A run without tables takes those of the one before away.
	succeed(t, "factor", input, "--rank", "1", "--method", "nmf", "--out", dir)
	holds(t, dir, record.NameV, record.NameW, record.NameResult)
}

func TestNamesInErrors(t *testing.T) {
	fails(t, []string{"M has 2 entries below 0, the least is -99.99", "these are equal, as a code for a missing value is: --missing-value -99.99"}, "factor", textFile(t, "m.csv", "id,a,b\nr1,-99.99,2\nr2,-99.99,3\n"), "--rank", "1")
	fails(t, []string{`row 2, column 1 of M = -999`, "looks like a code for a missing value: --missing-value -999"}, "factor", textFile(t, "m.csv", "id,a,b\nr1,1,2\nr2,-999,3\n"), "--rank", "1")
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
		must.Say(t, out, want, transposed)
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

// Names come from a column of a file, which may be compressed, and the run that was resumed or
// reported has them too.
func TestNameColumns(t *testing.T) {
	m := textFile(t, "m.csv", "1,2,3\n3,5,1\n")
	path := filepath.Join(filepath.Dir(m), "features.tsv.gz")
	file := must.Get(os.Create(path))(t)
	z := gzip.NewWriter(file)
	z.Write([]byte("ENSG1\tACTB\tGene\nENSG2\tCD3\tGene\n"))
	z.Close()
	file.Close()
	cols := textFile(t, "samples.csv", "\"s1\",x\ns2,y\ns3,z\n")
	out := filepath.Join(t.TempDir(), "out")
	succeed(t, "factor", m, "--rank", "1", "--iterations", "5", "--row-names", path+":2", "--col-names", cols+":1", "--write", "csv", "--out", out)
	contains(t, readText(t, out, "V.csv"), "\nACTB,", "\nCD3,")
	if w := readText(t, out, "W.csv"); !strings.HasPrefix(w, ",s1,s2,s3\n") {
		t.Errorf("W.csv %q", w)
	}
	fails(t, []string{"--row-names", "line 1", "it has 3 columns, and column 4 is asked for"}, "factor", m, "--rank", "1", "--row-names", path+":4")
	fails(t, []string{"--row-names", "no such file"}, "factor", m, "--rank", "1", "--row-names", path+":0")
	fails(t, []string{"--col-names", "2 names for 3 columns"}, "factor", m, "--rank", "1", "--col-names", path)
	fails(t, []string{"--col-names", `names.txt has 4 names for 3 columns, one in each line; if line 1, "one", is a header, delete it`}, "factor", m, "--rank", "1", "--col-names", textFile(t, "names.txt", "one\na\nb\nc\n"))
	for _, header := range []string{"Name\tDescription", "gene_id", "Sample ID"} {
		names := textFile(t, "names.txt", header+"\na\nb\nc\n\n\x00\x00\n")
		status, _, stderr := nmu("factor", m, "--rank", "1", "--iterations", "5", "--col-names", names+":1", "--write", "csv", "--force", "--out", out)
		if w := readText(t, out, "W.csv"); status != 0 || !strings.HasPrefix(w, ",a,b,c\n") || !strings.Contains(stderr, "is taken for a header") {
			t.Errorf("%s: W.csv %q: %s", header, w, stderr)
		}
	}
	fails(t, []string{"--row-names", "line 2: it has a zero byte; if the text is in UTF-16"}, "factor", m, "--rank", "1", "--row-names", textFile(t, "names.txt", "a\x00\n\x00b\x00\n\x00"))
	latin := textFile(t, "latin.txt", "stra\xdfe\n\xe9\n\x00\x00\x00")
	status, _, stderr := nmu("factor", m, "--rank", "1", "--method", "nmf", "--row-names", latin, "--write", "csv", "--skip-rows", textFile(t, "skip.txt", "\xe9\n"), "--force", "--out", out)
	if v := readText(t, out, "V.csv"); status != 0 || !strings.Contains(v, "\nstraße,") || !strings.Contains(stderr, "latin.txt is not in UTF-8 and is taken for Latin-1") || !strings.Contains(stderr, "skip.txt: the text is not in UTF-8") {
		t.Errorf("V.csv %q: %s", v, stderr)
	}
	colon := textFile(t, "names:2", "a\nb\n")
	succeed(t, "factor", m, "--rank", "1", "--iterations", "5", "--row-names", colon, "--write", "csv", "--force", "--out", out)
	contains(t, readText(t, out, "V.csv"), "\na,")
}

// A folder of Cell Ranger needs no flag, and stays sparse.
func TestCellRanger(t *testing.T) {
	m := textFile(t, "matrix.mtx", "%%MatrixMarket matrix coordinate integer general\n2 3 4\n1 2 1\n1 3 2\n2 1 3\n2 2 100\n")
	dir := filepath.Dir(m)
	for name, text := range map[string]string{"genes.tsv": "g1\tACTB\ng2\tCD3\n", "barcodes.tsv": "AAAC-1\nAAAG-1\nAACC-1\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	out := filepath.Join(t.TempDir(), "out")
	status, stdout, stderr := nmu("factor", dir, "--rank", "1", "--iterations", "5", "--write", "csv", "--out", out)
	if status != 0 || !strings.Contains(stdout, "2 x 3, sparse, 4 entries") || !strings.Contains(stderr, `folder of Cell Ranger, 2 x 3, sparse; rows "ACTB" to "CD3" (genes.tsv); columns "AAAC-1" to "AACC-1" (barcodes.tsv)`) {
		t.Errorf("%d: %s%s", status, stdout, stderr)
	}
	if w := readText(t, out, "W.csv"); !strings.HasPrefix(w, ",AAAC-1,AAAG-1,AACC-1\n") {
		t.Errorf("W.csv %q", w)
	}
}

// TestTablesBeside: what nmu decides about the first column of any table that a command reads is said, and
// --row-labels no turns it off.
func TestTablesBeside(t *testing.T) {
	const rows, cols = 9, 3
	table := func(name, header string, cols int, at func(i, j int) float64) string {
		text := header + "\n"
		for i := range rows {
			for j := range cols {
				if j > 0 {
					text += ","
				}
				text += fmt.Sprint(at(i, j))
			}
			text += "\n"
		}
		return textFile(t, name, text)
	}
	m := table("m.csv", "p,q,r", cols, func(i, j int) float64 { return float64((i*7+j*5)%11) + 1 })
	rising := func(i, j int) float64 {
		if j == 0 {
			return float64(i+1) / 2
		}
		return float64((i*5+j*3)%7) + 1
	}
	whole := table("whole.csv", "p,q,r", cols, rising) // of the shape of M, and with its names
	other := table("other.csv", "s,t,u", cols, rising)
	basis := table("basis.csv", "soil,water", 2, rising) // of two parts
	run := filepath.Join(t.TempDir(), "run")
	succeed(t, "factor", m, "--rank", "2", "--method", "nmf", "--restarts", "1", "--out", run)
	factor := []string{"factor", m, "--rank", "2", "--method", "nmf", "--restarts", "1"}
	for _, c := range []struct {
		file string
		args []string
		says string // without a choice: an error, or the output
		want string // of the output with --row-labels no
	}{
		{basis, []string{"transform", basis, m}, "rank 1", "rank 2"},
		{basis, []string{"report", run, "--out", filepath.Join(t.TempDir(), "page.html"), "--library", basis}, "water", "soil"},
		{basis, append(factor, "--fix-v", basis), "", ""},
		{other, append(factor, "--weights", other), "other.csv is 9 x 2 and the matrix is 9 x 3", ""},
		{other, append(factor, "--uncertainties", other), "other.csv is 9 x 2 and the matrix is 9 x 3", ""},
		{other, append(factor, "--mask", other), "other.csv is 9 x 2 and the matrix is 9 x 3", ""},
	} {
		if c.file == other { // but with other names
			succeed(t, slices.Replace(slices.Clone(c.args), len(c.args)-1, len(c.args), whole)...)
		}
		status, stdout, stderr := nmu(c.args...)
		note, why := "nmu: note: "+c.file+": table, 9 x ", `; rows "0.5" to "4.5" (column 1, "`
		if !strings.Contains(stderr, note) || !strings.Contains(stderr, why) || !strings.Contains(stderr, "which alone increases from row to row: --row-labels no makes it data") || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s: status %d, %s%s", strings.Join(c.args, " "), status, stdout, stderr)
		}
		status, stdout, stderr = nmu(append(c.args, "--row-labels", "no")...)
		if strings.Contains(stderr, why) || strings.Contains(stderr, "9 x 2 and") || !strings.Contains(stdout, c.want) {
			t.Errorf("%s --row-labels no: status %d, %s%s", strings.Join(c.args, " "), status, stdout, stderr)
		}
	}
}

// TestSettingsBeside: every setting for all files says what a file beside INPUT leaves open.
func TestSettingsBeside(t *testing.T) {
	m := textFile(t, "m.csv", ",2019,2020\nr,3,5\ns,2,1\n")
	dot := func(c color.Color) []byte {
		x := image.NewNRGBA(image.Rect(0, 0, 1, 2))
		x.Set(0, 0, c)
		x.Set(0, 1, c)
		return matiotest.PNGFile(t, x)
	}
	red := matiotest.FolderOf(t, map[string][]byte{"a.png": dot(color.NRGBA{R: 255, A: 255}), "b.png": dot(color.NRGBA{R: 200, A: 255})})
	curves := matiotest.FolderOf(t, map[string][]byte{"a.xy": []byte("1 1\n2 1\n"), "b.xy": []byte("0 1\n3 1\n")})
	plain := textFile(t, "plain.csv", "3,5\n2,1\n")
	cases := map[string]struct{ input, file, without, value string }{
		"sep":          {plain, textFile(t, "sep.csv", "a;1,b,c\nr;0,1.5,2\ns;0,2.5,2\n"), `"0,1.5,2"`, "comma"},
		"decimal":      {m, textFile(t, "decimal.tsv", "\t2019\t2020\nr\t1,250\t1,500\ns\t1,000\t2,000\n"), "two readings", "comma"},
		"header":       {m, textFile(t, "header.csv", "2019,2020\n0.5,1\n1,1\n"), "may be column names or data", "yes"},
		"row-labels":   {plain, textFile(t, "labels.csv", "x_id,b\n7,1\n3,2\n"), "2 x 1", "no"},
		"missing-text": {m, textFile(t, "text.csv", ",2019,2020\nr,ND,1\ns,1,1\n"), `is "ND"`, "ND"},
		"below":        {m, textFile(t, "below.csv", ",2019,2020\nr,<1,1\ns,1,1\n"), "a limit and no number", "half"},
		"align":        {plain, curves, "--align interpolate", "interpolate"},
		"grey":         {plain, red, "an image in colour", "true"},
	}
	for _, s := range options.Settings(&options.Run{}) {
		if s.Calls&options.Beside == 0 {
			continue
		}
		c, ok := cases[s.Name]
		if delete(cases, s.Name); !ok {
			t.Errorf("no file beside INPUT needs --%s", s.Name)
			continue
		}
		args := []string{"factor", c.input, "--rank", "1", "--method", "nmf", "--restarts", "1", "--missing", "allow", "--weights", c.file}
		if status, _, stderr := nmu(args...); status == 0 || !strings.Contains(stderr, c.without) {
			t.Errorf("without --%s: status %d, %s, want %q", s.Name, status, stderr, c.without)
		}
		if status, _, stderr := nmu(append(args, "--"+s.Name+"="+c.value)...); status != 0 {
			t.Errorf("--%s %s: status %d, %s", s.Name, c.value, status, stderr)
		}
	}
	for name := range cases {
		t.Errorf("the setting %s does not hold beside INPUT", name)
	}
	names := textFile(t, "names.txt", "x;r\ny;s\n")
	fails(t, []string{"--row-names", "it has 1 columns"}, "factor", plain, "--rank", "1", "--row-names", names+":2")
	succeed(t, "factor", textFile(t, "semicolons.csv", "3;5\n2;1\n"), "--rank", "1", "--row-names", names+":2", "--sep", ";")
}
