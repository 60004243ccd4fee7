package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// TestAxisInAnyOrder: numbers that decrease, or that have the name of an axis of spectra, label the
// rows as increasing ones do.
func TestAxisInAnyOrder(t *testing.T) {
	falling := []string{"4000", "3990.5", "3980", "3970", "3960", "3950", "3940", "3930"}
	mixed := []string{"500", "400.5", "700", "600", "650", "450", "430", "410"}
	twice := []string{"500", "400.5", "700", "500", "650", "450", "430", "410"}
	for _, c := range []struct {
		header string
		first  []string
		cols   int
	}{
		{"x,a,b", falling, 2}, {"wavenumber (cm-1),a,b", falling, 2}, {"Wavelength,a,b", mixed, 2}, {"wavelength_nm,a,b", mixed, 2},
		{"band,a,b", []string{"3", "1", "2"}, 2}, {"a,b", mixed, 2}, {",a,b", mixed, 2},
		{"x,a,b", mixed, 3}, {"wavelength,a,b", twice, 3}, {"x,a,b", falling[:4], 3}, {"", falling, 3}, {"waves,a,b", mixed, 3},
	} {
		var text strings.Builder
		if c.header != "" {
			fmt.Fprintln(&text, c.header)
		}
		for i, first := range c.first {
			fmt.Fprintf(&text, "%s,%d,%g\n", first, i*i%5, float64(i%3)/2)
		}
		f := matiotest.Open(t, matiotest.Write(t, "a.csv", []byte(text.String())), matio.Options{})
		_, cols := f.Dims()
		if labels := cols == 2; cols != c.cols || labels && !slices.Equal(f.RowNames(), c.first) {
			t.Errorf("%q, first column %q: %d columns, row names %q", c.header, c.first, cols, f.RowNames())
		}
	}
}
