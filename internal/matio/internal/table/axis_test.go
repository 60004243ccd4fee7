package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// TestAxis: numbers that alone rise or fall in even steps label the rows, and so do numbers in any order that
// are far larger than all others. A rising spectrum among others does not.
func TestAxis(t *testing.T) {
	falling := []string{"4000", "3990.5", "3980", "3970", "3960", "3950", "3940", "3930"}
	mixed := []string{"500", "400.5", "700", "600", "650", "450", "430", "410"}
	twice := []string{"500", "400.5", "700", "500", "650", "450", "430", "410"}
	curve := []string{"100.1", "100.2", "101", "103", "130", "200", "500", "700"}
	const noted = "but is taken for data"
	for _, c := range []struct {
		header string
		first  []string
		others float64 // how large the others are
		cols   int
		note   string
	}{
		{"x,a,b", falling, 1, 2, "holds different numbers"}, {"x,a,b", mixed, 1, 2, "holds different numbers"},
		{"x,a,b", falling, 1000, 2, "alone decreases"}, {"x,a,b", mixed, 1000, 3, ""}, {"x,a,b", twice, 1, 3, ""},
		{"x,a,b", falling[:7], 1000, 3, noted}, {"x,a,b", falling[:4], 1, 2, "holds different numbers"},
		{"wavelength,a,b", curve, 100, 3, noted}, {"wavelength,a,b", curve, 1, 2, "holds different numbers"},
		{"x,a,b", mixed, 0, 3, ""},
		{"", falling, 1, 3, noted}, {"", falling, 1000, 3, noted}, {"", mixed, 1000, 3, ""},
		{"a,b", mixed, 1000, 2, ""}, {",a,b", mixed, 1000, 2, `(column 1)`},
	} {
		var text strings.Builder
		if c.header != "" {
			fmt.Fprintln(&text, c.header)
		}
		for i, first := range c.first {
			fmt.Fprintf(&text, "%s,%g,%g\n", first, c.others*float64(i*i%5), c.others*float64(i%3)/2)
		}
		path := matiotest.Write(t, "a.csv", []byte(text.String()))
		f := matiotest.Open(t, path, matio.Options{})
		_, cols := f.Dims()
		if labels := cols == 2; cols != c.cols || labels && !slices.Equal(f.RowNames(), c.first) {
			t.Errorf("%q, first column %q: %d columns, row names %q", c.header, c.first, cols, f.RowNames())
		}
		if notes := f.Reading(); !strings.Contains(notes, c.note) {
			t.Errorf("%q, first column %q: notes %q lack %q", c.header, c.first, notes, c.note)
		}
	}
}
