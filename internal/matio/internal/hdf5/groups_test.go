//go:build hdf5

package hdf5_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestIndexGroups: an index of anndata that is a group of texts or of categories names the rows
// and columns. One of another kind names nothing, and stops no matrix.
func TestIndexGroups(t *testing.T) {
	dir := files(t)
	table := func(name string, n int, at func(i int) int) []string {
		names := make([]string, n)
		for i := range names {
			if k := at(i); k >= 0 {
				names[i] = fmt.Sprintf("%s %d µ", name, k)
			}
		}
		return names
	}
	for kind, at := range map[string]func(n, i int) int{
		"nullable-string-array": func(_, i int) int { return map[bool]int{true: -1, false: i}[i == 1] },
		"categorical":           func(n, i int) int { return map[bool]int{true: -1, false: n - 1 - i}[i == 1] },
	} {
		path := filepath.Join(dir, kind+".h5ad")
		matiotest.WantSparse(t, path, "", numbers())
		f := matiotest.Open(t, path, matio.Options{})
		for _, x := range []struct {
			table string
			n     int
			got   []string
		}{{"obs", 7, f.RowNames()}, {"var", 5, f.ColNames()}} {
			must.EqualSlices(t, x.got, table(x.table, x.n, func(i int) int { return at(x.n, i) }), kind, "names")
		}
	}
	for name, note := range map[string]string{"another.h5ad": "obs/name, which is no array of text", "codes.h5ad": "obs names nothing, as it cannot be read"} {
		path := filepath.Join(dir, name)
		matiotest.WantSparse(t, path, "", numbers())
		f := matiotest.Open(t, path, matio.Options{})
		if notes := strings.Join(f.Notes(), ";"); f.RowNames() != nil || !strings.Contains(notes, note) {
			t.Errorf("%s: names %q, notes %q", name, f.RowNames(), notes)
		}
	}
}

// TestNoX: nothing stands for the matrix X that an anndata file lacks.
func TestNoX(t *testing.T) {
	path := filepath.Join(files(t), "no X.h5ad")
	matiotest.WantError(t, path, matio.Options{}, matio.ErrVar, "has no X; choose another matrix: obsm/pca (7 x 2 float64)")
	matiotest.WantDense(t, path, "obsm/pca", matiotest.New(7, 2, slices.Repeat([]float64{1}, 14)))
}

// TestSparseGroups: the sparse matrices of Cell Ranger, of BIOM and of bare arrays are read with
// their names.
func TestSparseGroups(t *testing.T) {
	dir, m := files(t), numbers()
	genes, cells := []string{"gene0", "gene1", "gene2", "gene3", "gene4", "gene5", "gene6"}, []string{"cell0", "cell1", "cell2", "cell3", "cell4"}
	otus, samples := []string{"otu 0", "otu 1", "otu 2", "otu 3", "otu 4", "otu 5", "otu 6"}, []string{"sample 0", "sample 1", "sample 2", "sample 3", "sample 4"}
	for _, c := range []struct {
		name, variable string
		rows, cols     []string
		note           string
	}{
		{"tenx 3.h5", "", genes, cells, "the rows are of 2 types: Antibody Capture, Gene Expression"},
		{"tenx 3.h5", "matrix", genes, cells, ""},
		{"tenx 2.h5", "", genes, cells, ""},
		{"tenx 2.h5", "GRCx", genes, cells, ""},
		{"table.biom", "", otus, samples, ""},
		{"table.biom", "sample/matrix", otus, samples, ""},
		{"csr arrays.h5", "", nil, nil, ""},
		{"csc arrays.h5", "m", nil, nil, ""},
	} {
		path := filepath.Join(dir, c.name)
		matiotest.WantSparse(t, path, c.variable, m)
		f := matiotest.Open(t, path, matio.Options{Var: c.variable})
		if !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), c.cols) {
			t.Errorf("%s: rows %q, columns %q", c.name, f.RowNames(), f.ColNames())
		}
		if notes := strings.Join(f.Notes(), ";"); !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q", c.name, notes)
		}
	}
	matiotest.WantSparse(t, filepath.Join(dir, "square tenx.h5"), "", m.Block(matiotest.Rect(0, 5, 0, 5)))
	matiotest.WantError(t, filepath.Join(dir, "square arrays.h5"), matio.Options{}, matio.ErrUnsupported, "may be csr or csc")
	f := matiotest.Open(t, filepath.Join(dir, "tenx 3.h5"), matio.Options{Var: "matrix/data"})
	if notes := strings.Join(f.Notes(), ";"); !strings.Contains(notes, "matrix/data is one of the arrays of the sparse matrix matrix (7 x 5 sparse)") {
		t.Errorf("notes %q", notes)
	}
}

// TestNetCDF: attributes that would change the numbers are noted.
func TestNetCDF(t *testing.T) {
	path := filepath.Join(files(t), "netcdf.h5")
	matiotest.WantDense(t, path, "", numbers())
	want := []string{"the attributes of the array (scale_factor, _FillValue) are not applied: the numbers are as stored"}
	must.EqualSlices(t, matiotest.Open(t, path, matio.Options{}).Notes(), want, "notes")
}
