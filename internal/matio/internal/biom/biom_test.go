package biom_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
)

// The members of a table, as the documentation of the format has them.
const (
	begin  = `{"id":null,"format": "Biological Observation Matrix 1.0.0","format_url": "http://biom-format.org","type": "OTU table","generated_by": "QIIME revision 1.4.0-dev","date": "2011-12-19T19:00:00",`
	rows   = `"rows":[{"id":"GG_OTU_1", "metadata":{"taxonomy":["a","b"],"n":null}},{"metadata":null,"id":"GG_OTU_2"}],`
	cols   = `"columns": [{"id":"Sample1", "metadata":null},{"id":"Sample2", "metadata":null},{"id":"Sample3", "metadata":null}],`
	sparse = `"matrix_type": "sparse","matrix_element_type": "int","shape": [2, 3],"data":[[0,1,1],[0,2,2],[1,0,3],[1,1,60],[1,2,5.0],[1,1,4e1]]}`
	dense  = `"data":[[0,1,2],[3,100,5]],"shape": [2, 3],"matrix_type": "dense","matrix_element_type": "int"}`
)

func TestTables(t *testing.T) {
	for _, text := range []string{begin + rows + cols + sparse, begin + rows + cols + dense, " \n" + begin + cols + rows + sparse + "\n"} {
		path := matiotest.Write(t, "a.biom", []byte(text))
		matiotest.WantSparse(t, path, "", matiotest.Counts)
		f := matiotest.Open(t, path, matio.Options{})
		if !slices.Equal(f.RowNames(), []string{"GG_OTU_1", "GG_OTU_2"}) || !slices.Equal(f.ColNames(), []string{"Sample1", "Sample2", "Sample3"}) {
			t.Errorf("names %q, %q", f.RowNames(), f.ColNames())
		}
		matiotest.WantSparse(t, matiotest.Write(t, "a.json", []byte(text)), "", matiotest.Counts)
		matiotest.WantSparse(t, matiotest.Write(t, "a.biom.gz", matiotest.Gz(t, []byte(text))), "", matiotest.Counts)
	}
}

// What is damaged is refused, with the place.
func TestDamaged(t *testing.T) {
	whole := begin + rows + cols + sparse
	for _, c := range []struct{ old, new, want string }{
		{"[0,1,1]", "[0,1]", "entry 0 has not three numbers"},
		{"[0,1,1]", "[0,3,1]", "entry 0 is at 0, 3"},
		{"[0,1,1]", "[0,1.5,1]", "entry 0 is at"},
		{"[0,1,1]", "[-1,1,1]", "entry 0 is at"},
		{"[0,1,1]", `[0,1,"x"]`, "instead of a number"},
		{"[0,1,1]", "[0,1,1e999]", "beyond the range"},
		{"[0,1,1]", "0", "instead of ["},
		{"[2, 3]", "[2, 4]", "3 columns of a shape of 2 x 4"},
		{"[2, 3]", "[2]", "a shape of two sizes"},
		{"[2, 3]", "[2, 3, 4]", "more than two sizes"},
		{"[2, 3]", "[2, 1e300]", "no index"},
		{`"sparse"`, `"odd"`, `the matrix_type is "odd"`},
		{`"data"`, `"shape"`, `a second member "shape"`},
		{`"id":"GG_OTU_1"`, `"id":1`, "instead of a text"},
		{"Sample3", "Sample3\"", "byte"},
		{"4e1]]}", "4e1]]}}", "something follows"},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		_, err := matio.Open(matiotest.Write(t, "a.biom", []byte(text)), matio.Options{})
		if text == whole || !errors.Is(err, matio.ErrFormat) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "byte ") {
			t.Errorf("%s for %s: %v", c.new, c.old, err)
		}
	}
	path := matiotest.Write(t, "a.biom", nil)
	for n := range len(whole) {
		if err := os.WriteFile(path, []byte(whole[:n]), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := matio.Open(path, matio.Options{}); !errors.Is(err, matio.ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Replace(begin+dense, "[0,1,2]", "[0,1]", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := matio.Open(path, matio.Options{}); err == nil || !strings.Contains(err.Error(), "row 0 has 2 numbers of a shape of 2 x 3") {
		t.Errorf("%v", err)
	}
}

// A claimed shape takes no memory.
func TestClaims(t *testing.T) {
	text := begin + fmt.Sprintf(`"matrix_type":"sparse","shape":[%d,%d],"data":[[0,1,1]]}`, 2000000000, 2000000000)
	f := matiotest.Open(t, matiotest.Write(t, "a.biom", []byte(text)), matio.Options{MaxMemory: 1 << 20})
	if _, _, _, err := matio.Dense[float64](f); !errors.Is(err, matio.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}
