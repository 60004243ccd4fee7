package matio_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// TestUnderflow: numbers that float32 cannot hold are not taken for zeros where that
// would lose a row or hide that one is negative.
func TestUnderflow(t *testing.T) {
	sparse := func(entries ...string) string {
		return "%%MatrixMarket matrix coordinate real general\n3 2 3\n" + strings.Join(entries, "\n") + "\n"
	}
	for _, c := range []struct {
		name, text, says string
		transpose        bool
	}{
		{"all.csv", "1e-160,2e-160\n3e-160,0\n0,1e-160\n", "row 1 is nonzero", false},
		{"row.csv", "1,2\n3e-160,0\n0,1\n", "row 2 is nonzero", false},
		{"row.csv", "1,2\n3e-160,0\n0,1\n", "", true},
		{"column.csv", "1,2e-160\n3,0\n1,1e-160\n", "row 2 is nonzero", true},
		{"column.csv", "1,2e-160\n3,0\n1,1e-160\n", "", false},
		{"negative.csv", "1,2\n3,-1e-300\n0,1\n", "row 2, column 2 is nonzero", false},
		{"negative.csv", "1,2\n3,-1e-300\n0,1\n", "row 2, column 2 is nonzero", true},
		{"least.csv", "1e-45,2\n1e-45,0\n0,1\n", "", false},
		{"zero.csv", "0,0\n-0,0\n", "", false},
		{"row.mtx", sparse("1 1 1", "2 2 1e-160", "3 1 2"), "row 2 is nonzero", false},
		{"row.mtx", sparse("1 1 1", "2 2 1e-160", "3 1 2"), "row 2 is nonzero", true},
		{"other.mtx", sparse("1 1 1", "3 2 1e-160", "3 1 2"), "", false},
		{"negative.mtx", sparse("1 1 1", "3 2 -1e-160", "3 1 2"), "row 3, column 2 is nonzero", false},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o666))
		read := func(as func(f *matio.File) error) error {
			f := matiotest.Open(t, path, matio.Options{Transpose: c.transpose})
			return as(f)
		}
		ways := []func(f *matio.File) error{func(f *matio.File) error { _, _, _, err := matio.Dense[float32](f); return err }}
		if strings.HasSuffix(c.name, ".mtx") {
			ways = append(ways, func(f *matio.File) error { _, _, _, _, _, err := matio.Sparse[float32](f); return err })
		}
		for _, way := range ways {
			err := read(way)
			if (err == nil) != (c.says == "") || err != nil && (!errors.Is(err, matio.ErrPrecision) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%s, transposed %v: %v, want %q", c.name, c.transpose, err, c.says)
			}
		}
		must.Equal(t, read(func(f *matio.File) error { _, _, _, err := matio.Dense[float64](f); return err }), nil, c.name, "in float64")
	}
}
