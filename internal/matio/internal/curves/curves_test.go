package curves_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestCurves: each file of two columns is a column of the matrix on the axis of the first file.
func TestCurves(t *testing.T) {
	const a, b = "nm,A\n1,10\n2,20\n4,40\n", "1;0,5\n2;1,5\n4;2\n"
	interpolate := matio.Table{Align: "interpolate"}
	nan := math.NaN()
	for _, c := range []struct {
		what       string
		files      map[string]string
		opt        matio.Table
		want       []float64 // row by row
		rows, cols []string
		says       string // in the reading, or in the error
	}{
		{what: "the order of names, several ways to write numbers", files: map[string]string{"s10.CSV": a, "s2.csv": b, "README.md": "passed over"}, want: []float64{0.5, 10, 1.5, 20, 2, 40}, rows: []string{"1", "2", "4"}, cols: []string{"s2.csv", "s10.CSV"}, says: "folder of two-column files, cells separated by semicolons, the decimal sign is a comma, 3 x 2; rows \"1\" to \"4\" (column 1 of s2.csv)"},
		{what: "lines above the numbers", files: map[string]string{"a.gr": "[DEFAULT]\nversion = 1.0\n\n#### start data\n#L r(A)  G(A)\n0 0.5\n0.1 -2\n", "b.xy": "\ufeff0\t1\n# within\n0.1\t2\n\n"}, want: []float64{0.5, 1, -2, 2}, rows: []string{"0", "0.1"}, cols: []string{"a.gr", "b.xy"}, says: "b.xy: 1 line that begins with #"},
		{what: "carriage returns alone", files: map[string]string{"a.txt": "title\rx y\r1 3\r2 5.5\r"}, want: []float64{3, 5.5}, rows: []string{"1", "2"}, cols: []string{"a.txt"}},
		{what: "further columns", files: map[string]string{"a.csv": "x,y,dy\n1,3,9\n2,5.5,9\n"}, opt: matio.Table{Skip: []string{"3"}}, want: []float64{3, 5.5}, rows: []string{"1", "2"}, cols: []string{"a.csv"}, says: "a.csv: column 3"},
		{what: "further columns, not said", files: map[string]string{"a.csv": "x,y,dy\n1,3,9\n2,5.5,9\n"}, says: "a.csv: it has 3 columns: a file in a folder of .csv files has two, an axis and the values on it; --skip-columns 3"},
		{what: "missing values", files: map[string]string{"a.csv": "1,3\n2,\n"}, opt: matio.Table{Missing: matio.Allow}, want: []float64{3, nan}, rows: []string{"1", "2"}, cols: []string{"a.csv"}, says: "a.csv: 1 number is missing"},
		{what: "missing values, not said", files: map[string]string{"a.csv": "t\n1,3\n2,\n"}, says: "a.csv: line 3: row 2, column 2 is empty"},
		{what: "no place on the axis", files: map[string]string{"a.csv": "1,3\n,4\n"}, opt: matio.Table{Missing: matio.Allow}, says: "a.csv: row 2 has no place on the axis"},
		{what: "text", files: map[string]string{"a.csv": a, "notes.txt": "measured on Monday\n"}, says: "each file in the folder has two columns of numbers"},
		{what: "another axis", files: map[string]string{"a.csv": a, "b.csv": "1,1\n2.5,2\n4,3\n"}, says: "the axis of b.csv, its column 1, is not that of a.csv: 2.5 instead of 2 in row 2; --align interpolate interpolates"},
		{what: "a shorter axis", files: map[string]string{"a.csv": a, "b.csv": "1,1\n2,2\n"}, says: "2 rows instead of 3"},
		{what: "interpolated, also on a falling axis", files: map[string]string{"a.csv": a, "b.csv": "6,6\n1.5,1.5\n", "c.csv": a, "d.csv": "0,\n2,7\n4,9\n"}, opt: matio.Table{Align: "interpolate", Missing: matio.Allow}, want: []float64{20, 2, 20, 7, 40, 4, 40, 9}, rows: []string{"2", "4"}, cols: []string{"a.csv", "b.csv", "c.csv", "d.csv"}, says: "left out: 1 of 3 places on the axis of a.csv, which not all files reach; d.csv: 1 number is missing; 2 of 4 files, first b.csv, interpolated linearly on the axis of a.csv, from 2 to 4"},
		{what: "one axis, interpolated", files: map[string]string{"a.csv": a, "c.csv": a}, opt: interpolate, want: []float64{10, 10, 20, 20, 40, 40}, rows: []string{"1", "2", "4"}, cols: []string{"a.csv", "c.csv"}},
		{what: "no common range", files: map[string]string{"a.csv": a, "b.csv": "7,1\n8,2\n"}, opt: interpolate, says: "no range in common with that of a.csv"},
		{what: "an axis in no order", files: map[string]string{"a.csv": a, "b.csv": "1,1\n3,2\n2,3\n"}, opt: interpolate, says: "b.csv cannot be interpolated: its axis, column 1, neither rises nor falls throughout, see 3 beside 2"},
	} {
		files := map[string][]byte{}
		for name, text := range c.files {
			files[name] = []byte(text)
		}
		path, opt := matiotest.FolderOf(t, files), matio.Options{Table: c.opt}
		if c.want == nil {
			err := matiotest.ReadAll(path, opt)
			if err == nil || !strings.Contains(err.Error(), c.says) || !errors.Is(err, matio.ErrUnsupported) && !errors.Is(err, matio.ErrFormat) {
				t.Errorf("%s: %v", c.what, err)
			}
			continue
		}
		for _, spill := range []*matio.Spill{nil, {Context: t.Context()}} {
			opt.Spill = spill
			f := matiotest.Open(t, path, opt)
			rows, cols, data, err := matio.Dense[float64](f)
			same := slices.EqualFunc(data, c.want, func(x, y float64) bool { return x == y || x != x && y != y })
			if err != nil || rows != len(c.rows) || cols != len(c.cols) || !same || !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), c.cols) {
				t.Errorf("%s: %d x %d %v, %q, %q, %v", c.what, rows, cols, data, f.RowNames(), f.ColNames(), err)
			}
			if !f.Guessed() || !strings.Contains(f.Reading(), c.says) {
				t.Errorf("%s: %s", c.what, f.Reading())
			}
		}
	}
	f := matiotest.Open(t, matiotest.FolderOf(t, map[string][]byte{"a.csv": []byte("line\n\"nm\", A\n1,2\n2,3\n")}), matio.Options{Transpose: true})
	if rows, cols := f.Axes(); rows != "" || cols != "nm" {
		t.Errorf("axes %q and %q", rows, cols)
	}
	must.Do(t, f.Close())
}
