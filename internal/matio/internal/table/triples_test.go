package table_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nmu/internal/matio"
	"nmu/internal/matio/matiotest"
	"nmu/internal/must"
)

// A list of triples is the matrix that a literal reader makes of it, whatever its separator, header
// and labels.
func TestTriples(t *testing.T) {
	want := matiotest.New(2, 3, []float64{0, 1, 2, 3, 100, 5})
	for _, c := range []struct {
		name, text string
		asked      bool
		rows, cols []string
	}{
		{"a.csv", "row,column,value\ng1,s1,0\ng1,s2,1\ng1,s3,2\ng2,s1,3\ng2,s2,60\ng2,s3,5\ng2,s2,40\n", false, []string{"g1", "g2"}, []string{"s1", "s2", "s3"}},
		{"a.tsv", "i\tj\tcount\ttime\n10\t3\t2\t88\n9\t5\t0\t89\n10\t2\t1\t90\n11\t1\t3\t1\n11\t2\t100\t2\n11\t3\t5\t3\n10\t1\t0\t1\n", false, nil, nil},
		{"ratings.csv", "userId,movieId,rating,timestamp\n7,1,0,964982703\n7,2,1,964982224\n7,3,2,1\n8,1,3,1\n8,2,100,1\n8,3,5,1\n", false, []string{"7", "8"}, []string{"1", "2", "3"}},
		{"a.txt", "7 1 0\n7 2 1\n7 3 2\n8 1 3\n8 2 100\n8 3 5\n", true, []string{"7", "8"}, []string{"1", "2", "3"}},
		{"a.csv", "user;film;stars\na;x;0,0\na;y;1,0\na;z;2,0\nb;x;3,0\nb;y;100,0\nb;z;5,0\n", true, []string{"a", "b"}, []string{"x", "y", "z"}},
	} {
		path := matiotest.Write(t, c.name, []byte(c.text))
		opt := matio.Options{Table: matio.Table{Triples: c.asked}}
		if strings.Contains(c.text, ";") {
			opt.Table.Separator = ';' // the commas are as frequent
		}
		f := matiotest.Open(t, path, opt)
		if c.rows == nil { // row 9 has a zero alone, and column 5 as well
			must.Equal(t, fmt.Sprint(f.RowNames(), f.ColNames()), "[9 10 11] [1 2 3 5]", "names")
			continue
		}
		rows, cols, ptr, idx, val, err := matio.Sparse[float64](f)
		if err != nil || rows != 2 || cols != 3 {
			t.Fatalf("%s: %d x %d, %v", c.text, rows, cols, err)
		}
		got := make([]float64, 6)
		for i := range rows {
			for k := ptr[i]; k < ptr[i+1]; k++ {
				got[3*i+int(idx[k])] = val[k]
			}
		}
		if !slices.Equal(got, want.Data) || !slices.Equal(f.RowNames(), c.rows) || !slices.Equal(f.ColNames(), c.cols) {
			t.Errorf("%s: %v, names %q and %q", c.text, got, f.RowNames(), f.ColNames())
		}
		if !strings.Contains(f.Reading(), "entries by row, column and value") {
			t.Error(f.Reading())
		}
	}
}

// Entries at random, in any order, with repeated ones.
func TestTriplesRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	const rows, cols = 30, 20
	want := make([]float64, rows*cols)
	for i := range rows { // all are there, in order
		fmt.Fprintf(&b, "%d,%d,0\n", i, i%cols)
	}
	for range 500 {
		i, j, v := rng.IntN(rows), rng.IntN(cols), float64(1+rng.IntN(9))/4
		want[i*cols+j] += v
		fmt.Fprintf(&b, "%d,%d,%g\n", i, j, v)
	}
	f := matiotest.Open(t, matiotest.Write(t, "a.csv", []byte(b.String())), matio.Options{Table: matio.Table{Triples: true}})
	_, _, data, err := matio.Dense[float64](f)
	if err != nil || !slices.Equal(data, want) {
		t.Errorf("%v, %v", data, err)
	}
}

// What is damaged is refused, with the line. A table of three columns stays a table.
func TestTriplesBad(t *testing.T) {
	asked := matio.Options{Table: matio.Table{Triples: true}}
	for _, c := range []struct{ text, want string }{
		{"row,column,value\n1,2,3\n1,2\n", "line 3: 2 cells"},
		{"row,column,value\n1,2,x\n", "line 2"},
		{"row,column,value\n1,2,\n", "is empty"},
		{"row,column,value\n,2,1\n", "line 2: the row has no name"},
		{"1,2,3,4,5\n", "line 1: 5 cells"},
		{"a,b,c\na,b,c\n", "line 2"},
		{"", "without any"},
	} {
		_, err := matio.Open(matiotest.Write(t, "a.csv", []byte(c.text)), asked)
		must.Fail(t, err, matio.ErrFormat, c.want, c.text)
	}
	matiotest.WantError(t, matiotest.Write(t, "map.txt", []byte("#x y w i\n0 0 1 5\n0 0 2 6\n0 1 1 3\n0 1 2 7\n")), asked, matio.ErrUnsupported, "4 rows of four columns for 2 pairs")
	f := matiotest.Open(t, matiotest.Write(t, "a.csv", []byte("row,column,values\n1,2,3\n4,5,6\n7,8,9\n")), matio.Options{})
	if f.Sparse() {
		t.Error("a table with other names is taken for a list")
	}
	path := matiotest.Write(t, "a.csv", []byte("row,column,value\na,x,1\nb,y,NA\nb,x,2\n"))
	for way, want := range map[matio.Missing][]float64{matio.DropRows: {1, 2}, matio.Zero: {1, 0, 2, 0}} {
		_, _, data, err := matio.Dense[float64](matiotest.Open(t, path, matio.Options{Table: matio.Table{Missing: way}}))
		if err != nil || !slices.Equal(data, want) {
			t.Errorf("%s: %v, %v", way, data, err)
		}
	}
}
