//go:build hdf5

package hdf5_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// Fields of structures, of arrays of structures, and cells of MATLAB 7.3 have the names that they have in
// MATLAB.
func TestNestedMATLAB(t *testing.T) {
	path := filepath.Join(files(t), "nested.mat")
	for name, more := range map[string]float64{
		"s.data": 0, "s/data": 0, "s(1).data": 0, "s.inner.deep": 1, "c{1}": 2, "c{2}": 3, "c{3}": 4, "c{4}": 5, "t(1).data": 4, "t(2).data": 3,
	} {
		matiotest.WantDense(t, path, name, of(numbers(), func(x float64) float64 { return x + more }))
	}
	for _, name := range []string{"c{5}", "s(2).data", "t(3).data", "s.none", "s.data.more", "c", "none{1}", "s{1}"} {
		if f, err := matio.Open(path, matio.Options{Var: name}); err == nil {
			t.Errorf("%s is read", name)
			f.Close()
		}
	}
}

// The tables of anndata before 0.7 are arrays of compounds, of which one member names the rows.
func TestCompoundNames(t *testing.T) {
	dir := files(t)
	for _, kind := range []string{"fixed", "any"} {
		f := matiotest.Open(t, filepath.Join(dir, "compound "+kind+".h5ad"), matio.Options{})
		for table, got := range map[string][]string{"obs": f.RowNames(), "var": f.ColNames()} {
			want := make([]string, map[string]int{"obs": 7, "var": 5}[table])
			for i := range want {
				want[i] = fmt.Sprintf("%s %d", table, i)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: names %q, notes %q", kind, table, got, f.Notes())
			}
		}
	}
}
