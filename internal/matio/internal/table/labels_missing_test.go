package table_test

import (
	"slices"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// Numbers in the first column label the rows of a table whether or not numbers are missing elsewhere.
func TestLabelsBesideMissing(t *testing.T) {
	for _, c := range []struct {
		what, text string
		missing    matio.Missing
		rows       []string
		cols       int
	}{
		{"a count", "day,a,b\n1,4,\n2,1.5,3\n3,2,1\n4,0,7\n", matio.Allow, []string{"1", "2", "3", "4"}, 2},
		{"a count, zeros", "day,a,b\n1,4,\n2,1.5,3\n3,2,1\n4,0,7\n", matio.Zero, []string{"1", "2", "3", "4"}, 2},
		{"a count of which a row is dropped", "day,a,b\n1,4,2\n2,,3\n3,2,1\n4,0,7\n", matio.DropRows, []string{"1", "3", "4"}, 2},
		{"wavelengths", "wavelength,a,b\n400,4,\n410,1.5,3\n420,2,1\n430,0,7\n", matio.Allow, []string{"400", "410", "420", "430"}, 2},
		{"whole numbers without a header", "1,2,4\n2,,8\n3,6,NA\n", matio.Allow, nil, 3},
		{"a gap in the count", "day,a,b\n1,4,3\n,1.5,3\n3,2,1\n4,0,7\n", matio.Allow, nil, 3},
	} {
		f := matiotest.Open(t, matiotest.Write(t, "a.csv", []byte(c.text)), matio.Options{Table: matio.Table{Missing: c.missing}})
		if _, cols := f.Dims(); cols != c.cols || !slices.Equal(f.RowNames(), c.rows) {
			t.Errorf("%s: %d columns, row names %q", c.what, cols, f.RowNames())
		}
	}
}
