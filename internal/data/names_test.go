package data

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nmu/lnmu"
)

func TestMatch(t *testing.T) {
	list := func(s string) []string {
		if s == "none" {
			return nil
		}
		return strings.Split(s, ",")
	}
	for _, c := range []struct {
		want, have string
		order      []int
		mismatch   string // the names of the error
	}{
		{"a,b,c", "a,b,c", nil, ""},
		{"a,b,c", "c,a,b", []int{1, 2, 0}, ""},
		{"none", "a,b", nil, ""},
		{"a,b", "none", nil, ""},
		{"a,b", "b,a,c", nil, ""},              // the sizes decide
		{"a,b,c", "c,a,d", nil, "b d"},         // another set
		{"a,b", "A,b", nil, "a A"},             // case
		{"a,b", "a ,b", nil, "a a "},           // a blank
		{"a,a,b", "a,a,b", nil, ""},            // twice, in the same order
		{"a,a,b", "a,b,a", nil, "a a"},         // twice, in another one
		{"a,a,b", "a,b,b", nil, "a b"},         // as often as each other
		{"a,b,c", "1,2,3", nil, ""},            // a count
		{"0,1,2", "a,b,c", nil, ""},            // from 0
		{"0,1,2", "1,2,3", nil, ""},            // two counts
		{"1,2,3", "3,1,2", []int{1, 2, 0}, ""}, // numbers in another order are names
		{"a,b,c", "2,1,3", nil, "a 2"},         // and no count
		{"400,500", "400.00,500.", nil, ""},    // the same numbers
		{"500,0.4,-7", "0.40,-7.0,500.0", []int{2, 0, 1}, ""},
		{"1.1,1.10,2", "2,1.10,1.1", []int{2, 1, 0}, ""}, // these names differ
		{"1.1,1.10,2", "2.0,1.1,1.10", nil, "2 2.0"},
		{"a1.10,b", "a1.1,b", nil, "a1.10 a1.1"}, // no number
		{"1.1.0,b", "1.1,b", nil, "1.1.0 1.1"},
		{"100,1", "10,1", nil, "100 10"},
		{"007,8", "7,8", nil, "007 7"},
	} {
		order, err := match(list(c.want), list(c.have))
		mismatch := ""
		if e := (*MismatchError)(nil); errors.As(err, &e) {
			mismatch = e.Want + " " + e.Have
		}
		if !slices.Equal(order, c.order) || mismatch != c.mismatch {
			t.Errorf("%s and %s: order %v, mismatch %q, want %v, %q", c.want, c.have, order, mismatch, c.order, c.mismatch)
		}
	}
}

func TestMismatchMessages(t *testing.T) {
	for e, want := range map[MismatchError]string{
		{"a", "b"}: `"a" is only in m.csv, and "b" only in v.csv`,
		{"a", "a"}: `the name "a" occurs more than once`,
	} {
		if text := e.Between("m.csv", "v.csv"); !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
}

// TestPermutations compares with a permutation entry by entry.
func TestPermutations(t *testing.T) {
	const m, n = 5, 4
	for _, rows := range [][]int{nil, {0, 1, 2, 3, 4}, {4, 0, 1, 2, 3}, {1, 0, 4, 2, 3}, {2, 4, 0, 3, 1}} {
		for _, cols := range [][]int{nil, {3, 2, 1, 0}, {1, 2, 0, 3}} {
			before := lnmu.NewDense[float64](m, n, nil)
			for i := range m {
				for j := range n {
					before.Row(i)[j] = float64((i*n + j) % 7 % 5) // with some zeros
				}
			}
			wide := lnmu.Dense[float64]{Rows: m, Cols: n, Stride: n + 2, Data: make([]float64, m*(n+2))}
			for i := range m {
				copy(wide.Row(i), before.Row(i))
			}
			PermuteRows(wide, rows)
			PermuteCols(wide, cols)
			for i := range m {
				for j := range n {
					k, l := i, j
					if rows != nil {
						k = rows[i]
					}
					if cols != nil {
						l = cols[j]
					}
					if want := before.At(k, l); wide.At(i, j) != want {
						t.Fatalf("rows %v, columns %v: entry %d, %d is %v, want %v", rows, cols, i, j, wide.At(i, j), want)
					}
				}
			}
		}
	}
}
