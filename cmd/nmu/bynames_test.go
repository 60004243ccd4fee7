package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
)

// labelled is a matrix with names, as a table.
type labelled struct {
	rows, cols []string
	at         func(i, j int) float64
}

// parts is a matrix of rank 2 without zeros, 6 x 5.
var parts = labelled{
	rows: []string{"r0", "r1", "r2", "r3", "r4", "r5"}, cols: []string{"c0", "c1", "c2", "c3", "c4"},
	at: func(i, j int) float64 { return float64((1+i*i%7)*(1+j) + (6-i)*(1+j*j%3)) },
}

// csv writes the table with its rows and columns in these orders.
func (l labelled) csv(t *testing.T, rows, cols []int) string {
	t.Helper()
	text := "id"
	for _, j := range cols {
		text += "," + l.cols[j]
	}
	for _, i := range rows {
		text += "\n" + l.rows[i]
		for _, j := range cols {
			text += fmt.Sprintf(",%v", l.at(i, j))
		}
	}
	return textFile(t, "table.csv", text+"\n")
}

var (
	rowOrder, colOrder = []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4}
	rowMixed, colMixed = []int{4, 2, 0, 5, 1, 3}, []int{3, 0, 4, 2, 1}
)

// noted returns what a command that must succeed prints with --json, and what it says on stderr.
func noted[R any](t *testing.T, args ...string) (rep R, notes string) {
	t.Helper()
	status, stdout, stderr := nmu(append(args, "--json")...)
	if status != 0 {
		t.Fatalf("nmu %v: status %d, %s", args, status, stderr)
	}
	return parsed[R](t, stdout), stderr
}

const matched = "in another order, and are matched by name"

// TestTransformByName: columns whose rows are in another order than those of the basis get the
// weights of the rows of these names, whatever kind of file has the basis or the columns.
func TestTransformByName(t *testing.T) {
	dir, out := filepath.Join(t.TempDir(), "basis"), filepath.Join(t.TempDir(), "weights")
	succeed(t, "factor", parts.csv(t, rowOrder, colOrder), "--rank", "2", "--method", "nmf", "--restarts", "1", "--out", dir, "--write", "csv")
	v := matrixOf(t, filepath.Join(dir, record.NameV))
	var mtx, names strings.Builder
	fmt.Fprintf(&mtx, "%%%%MatrixMarket matrix coordinate real general\n6 5 30\n")
	for k, i := range rowMixed {
		fmt.Fprintln(&names, parts.rows[i])
		for j := range colOrder {
			fmt.Fprintf(&mtx, "%d %d %v\n", k+1, j+1, parts.at(i, j))
		}
	}
	turned := labelled{parts.cols, parts.rows, func(i, j int) float64 { return parts.at(j, i) }}
	for what, args := range map[string][]string{
		"a folder":          {dir, parts.csv(t, rowMixed, colOrder)},
		"V.npy of a folder": {filepath.Join(dir, record.NameV), parts.csv(t, rowMixed, colOrder)},
		"a table":           {filepath.Join(dir, record.NameVTable), parts.csv(t, rowMixed, colOrder)},
		"transposed":        {dir, turned.csv(t, colOrder, rowMixed), "--transpose"},
		"sparse":            {dir, textFile(t, "m.mtx", mtx.String()), "--row-names", textFile(t, "names.txt", names.String())},
		"float32":           {dir, parts.csv(t, rowMixed, colOrder), "--precision", "float32"},
		"under":             {dir, parts.csv(t, rowMixed, colOrder), "--feasible"},
	} {
		_, notes := noted[record.Factor](t, append([]string{"transform", "--out", out}, args...)...)
		must.Say(t, notes, matched, what)
		w, most := matrixOf(t, filepath.Join(out, record.NameW)), 0.0
		for i := range 6 {
			for j := range 5 {
				most = max(most, math.Abs(parts.at(i, j)-v.At(i, 0)*w.At(0, j)-v.At(i, 1)*w.At(1, j)))
			}
		}
		must.Below(t, most, 0.01, what, "V W")
	}
	rep, notes := noted[record.Factor](t, "transform", dir, parts.csv(t, rowOrder, colOrder))
	if strings.Contains(notes, matched) || !(rep.RelativeError < 1e-3) {
		t.Errorf("the same order: relative error %v, %s", rep.RelativeError, notes)
	}
}

// TestDifferentNames: matrices whose rows or columns have different names do not go together,
// and the error says which. Where one has no names, or counts, the sizes alone decide.
func TestDifferentNames(t *testing.T) {
	table := parts.csv(t, rowOrder, colOrder)
	dir := filepath.Join(t.TempDir(), "basis")
	succeed(t, "factor", table, "--rank", "2", "--method", "nmf", "--restarts", "1", "--out", dir, "--write", "csv")
	renamed := func(old, new string) string {
		return textFile(t, "renamed.csv", strings.Replace(readText(t, filepath.Dir(table), filepath.Base(table)), old, new, 1))
	}
	row, col, twice := renamed("r3", "R3"), renamed("c1", "c 1"), renamed("r3", "r5")
	rows := []string{`"R3" is only in ` + row, `"r3" only in ` + dir, "--row-names"}
	cols := []string{`"c 1" is only in ` + col, `"c1" only in ` + dir, "--col-names"}
	fails(t, append(rows, "BASIS"), "transform", dir, row)
	fails(t, append(rows, "--fix-v"), "factor", row, "--rank", "3", "--fix-v", dir)
	fails(t, append(cols, "--fix-w"), "factor", col, "--rank", "3", "--fix-w", dir)
	fails(t, append(rows, "--init"), "factor", row, "--rank", "2", "--method", "nmf", "--init", dir)
	fails(t, append(cols, "--init"), "factor", col, "--rank", "2", "--method", "nmf", "--init", dir)
	fails(t, []string{"--mask", `"r3" is only in ` + table, `"R3" only in ` + row}, "factor", table, "--rank", "2", "--mask", row)
	fails(t, []string{"--weights", `"c1" is only in ` + table, `"c 1" only in ` + col}, "factor", table, "--rank", "2", "--weights", col)
	fails(t, []string{"--mask", `"r3"`, `"R3"`}, "rank", table, "--ranks", "1:2", "--mask", row)
	fails(t, []string{"--library", `"r3" is only in ` + dir, `"R3" only in ` + row}, "report", dir, "--library", row)
	fails(t, []string{`"r3" is only in ` + dir, `"R3" only in ` + row}, "report", dir, row)
	fails(t, []string{`"r3" is only in ` + dir, `"r5" only in ` + twice}, "report", dir, twice)

	again := filepath.Join(t.TempDir(), "twice")
	succeed(t, "factor", twice, "--rank", "2", "--method", "nmf", "--out", again)
	succeed(t, "transform", again, twice)
	mixed := labelled{[]string{"r0", "r1", "r2", "r5", "r5", "r4"}, parts.cols, parts.at}.csv(t, rowOrder, colOrder)
	fails(t, []string{"in another order", `"r5" occurs more than once`}, "transform", again, mixed)

	var bare, counted string
	for i := range 6 {
		counted += fmt.Sprint(i)
		for j := range 5 {
			bare += fmt.Sprintf("%v.5,", parts.at(i, j))
			counted += fmt.Sprintf(",%v.5", parts.at(i, j))
		}
		bare, counted = strings.TrimSuffix(bare, ",")+"\n", counted+"\n"
	}
	for _, text := range []string{bare, "id,c0,c1,c2,c3,c4\n" + counted} {
		if _, notes := noted[record.Factor](t, "transform", dir, textFile(t, "m.csv", text)); strings.Contains(notes, matched) {
			t.Errorf("%s", notes)
		}
	}
	// The factors of a table without names have the numbers of their rows and columns.
	nameless := filepath.Join(t.TempDir(), "nameless")
	succeed(t, "factor", textFile(t, "m.csv", bare), "--rank", "2", "--method", "nmf", "--out", nameless, "--write", "csv")
	succeed(t, "transform", filepath.Join(nameless, record.NameVTable), table)
	succeed(t, "factor", table, "--rank", "3", "--fix-w", filepath.Join(nameless, record.NameWTable))
}

// TestFactorByName: known factors, starts, masks and weights in another order than M give the
// bits of those in its order.
func TestFactorByName(t *testing.T) {
	table := parts.csv(t, rowOrder, colOrder)
	seen := labelled{parts.rows, parts.cols, func(i, j int) float64 { return float64((i + 2*j) % 4) }}
	dir := func(rows, cols []int) string {
		name := filepath.Join(t.TempDir(), "known")
		args := []string{"--rank", "2", "--method", "nmf", "--init", "svd", "--iterations", "3", "--out", name, "--write", "csv"}
		succeed(t, append([]string{"factor", parts.csv(t, rows, cols)}, args...)...)
		return name
	}
	same, mixed := dir(rowOrder, colOrder), dir(rowMixed, colMixed)
	for _, c := range []struct {
		flags       []string
		same, mixed string
		exact       bool // both files have the same numbers
	}{
		{[]string{"--rank", "2", "--mask"}, seen.csv(t, rowOrder, colOrder), seen.csv(t, rowMixed, colMixed), true},
		{[]string{"--rank", "2", "--method", "gnmu", "--weights"}, seen.csv(t, rowOrder, colOrder), seen.csv(t, rowMixed, colMixed), true},
		{[]string{"--rank", "3", "--method", "nmf", "--fix-v"}, same, mixed, false},
		{[]string{"--rank", "3", "--method", "nmf", "--fix-w"}, same, mixed, false},
		{[]string{"--rank", "3", "--method", "nmf", "--fix-v"}, filepath.Join(same, record.NameVTable), filepath.Join(mixed, record.NameVTable), false},
		{[]string{"--rank", "3", "--method", "nmf", "--fix-w"}, filepath.Join(same, record.NameWTable), filepath.Join(mixed, record.NameWTable), false},
		{[]string{"--rank", "2", "--method", "nmf", "--init"}, same, mixed, false},
	} {
		args := slices.Concat([]string{"factor", table, "--iterations", "5"}, c.flags)
		want, notes := noted[record.Factor](t, append(args, c.same)...)
		if strings.Contains(notes, matched) {
			t.Errorf("%v: %s", c.flags, notes)
		}
		got, notes := noted[record.Factor](t, append(args, c.mixed)...)
		if strings.Count(notes, matched) == 0 {
			t.Errorf("%v: no note: %s", c.flags, notes)
		}
		if c.exact && (got.SHA256V != want.SHA256V || got.SHA256W != want.SHA256W) || !(math.Abs(got.RelativeError-want.RelativeError) < 1e-6) {
			t.Errorf("%v: relative error %v, want %v", c.flags, got.RelativeError, want.RelativeError)
		}
	}
	// Weights that nmu transform has found have the names of their columns.
	var errors [2]float64
	for k, cols := range [][]int{colOrder, colMixed} {
		found := filepath.Join(t.TempDir(), "found")
		succeed(t, "transform", same, parts.csv(t, rowOrder, cols), "--out", found)
		rep, _ := noted[record.Factor](t, "factor", table, "--rank", "2", "--method", "nmf", "--iterations", "1", "--fix-w", found)
		errors[k] = rep.RelativeError
	}
	must.Below(t, math.Abs(errors[1]-errors[0]), 1e-6, "weights of nmu transform: relative errors", errors)
	// A run is continued in its own order only.
	first := filepath.Join(t.TempDir(), "first")
	succeed(t, "factor", table, "--rank", "1", "--method", "rnmu", "--init", "nested", "--restarts", "1", "--out", first)
	succeed(t, "factor", table, "--rank", "2", "--continue", first)
	fails(t, []string{"--continue", "the rows of", "in another order", first}, "factor", parts.csv(t, rowMixed, colOrder), "--rank", "2", "--continue", first)
	fails(t, []string{"--continue", "the columns of", "in another order", first}, "factor", parts.csv(t, rowOrder, colMixed), "--rank", "2", "--continue", first)
}

// TestReportByName: the page about a run does not depend on the order in which M and the known
// spectra are read.
func TestReportByName(t *testing.T) {
	mtx := func(rows, cols []int) string {
		text := "%%MatrixMarket matrix coordinate real general\n6 5 30\n"
		for k, i := range rows {
			for l, j := range cols {
				text += fmt.Sprintf("%d %d %v\n", k+1, l+1, parts.at(i, j))
			}
		}
		return textFile(t, "m.mtx", text)
	}
	list := func(names []string, order []int) string {
		text := ""
		for _, i := range order {
			text += names[i] + "\n"
		}
		return textFile(t, "names.txt", text)
	}
	mask := labelled{parts.rows, parts.cols, func(i, j int) float64 { return float64((i + j) % 5) }}.csv(t, rowOrder, colMixed)
	names := []string{"--row-names", list(parts.rows, rowOrder), "--col-names", list(parts.cols, colOrder)}
	mixed := []string{"--row-names", list(parts.rows, rowMixed), "--col-names", list(parts.cols, colMixed)}
	for _, c := range []struct {
		what        string
		same, mixed []string
		flags       []string
	}{
		{"dense", []string{parts.csv(t, rowOrder, colOrder)}, []string{parts.csv(t, rowMixed, colMixed)}, nil},
		{"masked", []string{parts.csv(t, rowOrder, colOrder)}, []string{parts.csv(t, rowMixed, colMixed)}, []string{"--mask", mask}},
		{"sparse", append([]string{mtx(rowOrder, colOrder)}, names...), append([]string{mtx(rowMixed, colMixed)}, mixed...), nil},
		{"mapped", append([]string{npyOf(t, rowOrder, colOrder)}, names...), append([]string{npyOf(t, rowMixed, colMixed)}, mixed...), nil},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		succeed(t, slices.Concat([]string{"factor", "--rank", "2", "--method", "nmf", "--iterations", "4", "--out", dir}, c.same, c.flags)...)
		var pages [2]string
		for k, input := range [][]string{c.same, c.mixed} {
			page := filepath.Join(t.TempDir(), "page.html")
			status, _, stderr := nmu(slices.Concat([]string{"report", dir, "--out", page}, input)...)
			if status != 0 || strings.Contains(stderr, matched) != (k == 1 || c.flags != nil) || strings.Contains(stderr, "has changed since") {
				t.Errorf("%s: status %d, %s", c.what, status, stderr)
			}
			pages[k] = readText(t, filepath.Dir(page), filepath.Base(page))
		}
		must.Equal(t, pages[0], pages[1], c.what, "the page of M in another order differs")
	}

	dir := filepath.Join(t.TempDir(), "run")
	table := parts.csv(t, rowOrder, colOrder)
	succeed(t, "factor", table, "--rank", "2", "--method", "nmf", "--init", "spa", "--iterations", "1", "--out", dir)
	nearest := func(library string) string {
		out := succeed(t, "report", dir, "--library", library, "--out", filepath.Join(t.TempDir(), "page.html"))
		before, _, _ := strings.Cut(out, "written")
		return before
	}
	if got, want := nearest(parts.csv(t, rowMixed, colOrder)), nearest(table); got != want || !strings.Contains(want, "c0 ") {
		t.Errorf("the spectra in another order:\n%s\nwant\n%s", got, want)
	}
}

// TestWavelengths: the bands of an ENVI cube are those of a table with the same wavelengths,
// which a table has without zeros at their end.
func TestWavelengths(t *testing.T) {
	header := "ENVI\nsamples = 5\nlines = 1\nbands = 8\ndata type = 5\ninterleave = bsq\nbyte order = 0\nwavelength = {400.00, 405.50, 411.00, 416.5, 422.00, 427.50, 433, 438.500}\n"
	table := "nm,alunite,calcite\n"
	var x []float64
	for i, nm := range []string{"400", "405.5", "411", "416.5", "422", "427.5", "433", "438.5"} {
		for j := range colOrder {
			x = append(x, parts.at(i, j))
		}
		table += fmt.Sprintf("%s,%v,%v\n", nm, parts.at(i, 0), parts.at(i, 1))
	}
	dir := matiotest.FolderOf(t, map[string][]byte{"cube.hdr": []byte(header), "cube.dat": matiotest.BytesOf(x, "<f8")})
	run := filepath.Join(dir, "run")
	succeed(t, "factor", filepath.Join(dir, "cube.hdr"), "--rank", "2", "--method", "nmf", "--restarts", "1", "--out", run)
	succeed(t, "report", run, "--library", textFile(t, "library.csv", table))
	fails(t, []string{"--library", `"411.00" is only in`, `"412" only in`}, "report", run, "--library", textFile(t, "library.csv", strings.Replace(table, "411", "412", 1)))
}

// matrixOf reads a matrix from a file.
func matrixOf(t *testing.T, path string) lnmu.Dense[float64] {
	t.Helper()
	d := must.Get(readFactor[float64](path))(t)
	return d
}

// npyOf writes parts, with rows and columns in these orders, to a .npy file.
func npyOf(t *testing.T, rows, cols []int) string {
	t.Helper()
	var x []float64
	for _, i := range rows {
		for _, j := range cols {
			x = append(x, parts.at(i, j))
		}
	}
	return npyFile(t, len(cols), x)
}

// TestLabelsOfMask: a mask has the labels in its first column, if they are those of M, as weights have.
func TestLabelsOfMask(t *testing.T) {
	input, sums := textFile(t, "m.csv", "gene,s1,s2\n1001,1,2\n1002,3,4\n1003,5,7\n"), map[string]bool{}
	for _, mask := range []string{npyFile(t, 3, []float64{1003, 1, 1, 1001, 1, 0, 1002, 1, 1}), npyFile(t, 2, []float64{1, 0, 1, 1, 1, 1})} {
		rep, _ := noted[record.Factor](t, "factor", input, "--row-labels", "yes", "--rank", "1", "--mask", mask)
		if sums[rep.SHA256V] = true; rep.Missing != 1 || len(sums) > 1 {
			t.Errorf("%s: %d entries are missing, or the factors are others", mask, rep.Missing)
		}
	}
}
