package cells_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

const (
	matrix   = "%%MatrixMarket matrix coordinate integer general\n%metadata_json: {}\n2 3 4\n1 2 1\n1 3 2\n2 1 3\n2 2 100\n"
	features = "ENSG1\tACTB\tGene Expression\nENSG2\tCD3\tAntibody Capture\n"
	barcodes = "AAAC-1\nAAAG-1\nAACC-1\n"
)

// folder writes files to a new folder; those with .gz are compressed.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		content := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			content = matiotest.Gz(content)
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o666))
	}
	return dir
}

// Folders of all versions of Cell Ranger, and with prefixes of archives, are found by their names.
func TestFolders(t *testing.T) {
	want := matiotest.New(2, 3, []float64{0, 1, 2, 3, 100, 0})
	for _, c := range []struct {
		name  string
		files map[string]string
		rows  []string
		types bool
	}{
		{"version 3", map[string]string{"matrix.mtx.gz": matrix, "features.tsv.gz": features, "barcodes.tsv.gz": barcodes}, []string{"ACTB", "CD3"}, true},
		{"version 2", map[string]string{"matrix.mtx": matrix, "genes.tsv": "ENSG1\tACTB\nENSG2\tCD3\n", "barcodes.tsv": barcodes}, []string{"ACTB", "CD3"}, false},
		{"one column", map[string]string{"matrix.mtx": matrix, "genes.tsv": "ENSG1\r\nENSG2\r\n", "barcodes.tsv": barcodes}, []string{"ENSG1", "ENSG2"}, false},
		{"prefix", map[string]string{"GSM1_s1_matrix.mtx.gz": matrix, "GSM1_s1_features.tsv.gz": features, "GSM1_s1_barcodes.tsv.gz": barcodes, "features.tsv": "x\n"}, []string{"ACTB", "CD3"}, true},
	} {
		dir := folder(t, c.files)
		matiotest.WantSparse(t, dir, "", want)
		f := matiotest.Open(t, dir, matio.Options{})
		if !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), []string{"AAAC-1", "AAAG-1", "AACC-1"}) {
			t.Errorf("%s: names %q and %q", c.name, f.RowNames(), f.ColNames())
		}
		notes := f.Reading()
		if !strings.Contains(notes, "Cell Ranger") || !strings.Contains(notes, "barcodes.tsv") || strings.Contains(notes, "2 types") != c.types {
			t.Errorf("%s: notes %q", c.name, notes)
		}
		must.Equal(t, f.Path(), dir, c.name, "path")
		turned := matiotest.Open(t, dir, matio.Options{Transpose: true})
		must.EqualSlices(t, turned.ColNames(), c.rows, c.name, "columns of the transpose")
	}
	f := matiotest.Open(t, folder(t, map[string]string{"matrix.mtx": matrix}), matio.Options{})
	if f.RowNames() != nil || f.ColNames() != nil || !strings.Contains(f.Reading(), "rows without names") {
		t.Errorf("names %q, %q, notes %q", f.RowNames(), f.ColNames(), f.Reading())
	}
}

// What is damaged is refused, with the file and the place.
func TestDamaged(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"features.tsv has 1 name for 2 features": {"matrix.mtx": matrix, "features.tsv": "a\tb\tc\n", "barcodes.tsv": barcodes},
		"barcodes.tsv has 4 names for 3 barcode": {"matrix.mtx": matrix, "features.tsv": features, "barcodes.tsv": barcodes + "x\n"},
		"features.tsv: line 2: it has 1 columns": {"matrix.mtx": matrix, "features.tsv": "a\tb\tc\nd\n", "barcodes.tsv": barcodes},
		"matrix.mtx: line 7":                     {"matrix.mtx": matrix[:len(matrix)-8] + "9 9 9\n", "features.tsv": features, "barcodes.tsv": barcodes},
		"holds 2 matrices":                       {"a_matrix.mtx": matrix, "b_matrix.mtx": matrix},
	} {
		_, err := matio.Open(folder(t, files), matio.Options{})
		must.Fail(t, err, nil, want)
	}
	dir := folder(t, map[string]string{"matrix.mtx": matrix, "features.tsv": features, "barcodes.tsv.gz": barcodes})
	path := filepath.Join(dir, "barcodes.tsv.gz")
	content := must.Get(os.ReadFile(path))(t)
	for n := range len(content) {
		if n == 0 {
			continue // an empty text
		}
		must.Do(t, os.WriteFile(path, content[:n], 0o666))
		if _, err := matio.Open(dir, matio.Options{}); n > 1 && !errors.Is(err, matio.ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(content), err)
		}
	}
}

// A claimed size takes no memory.
func TestClaims(t *testing.T) {
	dir := folder(t, map[string]string{"matrix.mtx": "%%MatrixMarket matrix coordinate integer general\n2000000000 2000000000 0\n", "features.tsv": features, "barcodes.tsv": barcodes})
	must.Refuse(matio.Open(dir, matio.Options{MaxMemory: 1 << 20}))(t, nil, "2 names for 2000000000 features")
}
