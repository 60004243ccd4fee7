package dataset

import (
	"math"
	"slices"
	"testing"

	"nmu/internal/must"
)

func TestRandom(t *testing.T) {
	const rows, cols, rank = 60, 40, 6
	a := Random[float64](rows, cols, rank, 5)
	if len(a) != rows*cols {
		t.Fatalf("%d numbers", len(a))
	}
	for i, x := range a {
		if !(x >= 0 && x < 1) {
			t.Fatalf("entry %d is %v", i, x)
		}
	}
	s := Set{Rows: rows, Cols: cols, Data: a}
	e := energies(t, s)
	// The noise has the mean 0.005, which is one more factor.
	if at, below := relativeError(e, rank+1), relativeError(e, rank-1); at > 0.02 || below < 2*at {
		t.Errorf("relative error %.4f with rank %d and %.4f with rank %d", at, rank+1, below, rank-1)
	}

	taller := Random[float64](rows+3, cols, rank, 5)
	must.EqualSlices(t, taller[:rows*cols], a, "a taller matrix begins with other rows")
	narrow := Random[float32](rows, cols, rank, 5)
	for i, x := range narrow {
		if x != float32(a[i]) {
			t.Fatalf("float32 entry %d is %v, not the rounded %v", i, x, a[i])
		}
	}
	other := Random[float64](rows, cols, rank, 6)
	if slices.Equal(other, a) {
		t.Error("another seed gives the same matrix")
	}
}

func TestSparse(t *testing.T) {
	for _, c := range []struct{ rows, cols, nnz int }{
		{1, 1, 0}, {1, 1, 1}, {7, 5, 0}, {7, 5, 1}, {7, 5, 35}, {7, 5, 34}, {3, 1000, 17},
		{1000, 3, 17}, {200, 300, 6001}, {5, math.MaxInt32, 100},
	} {
		ptr, idx, val := Sparse[float32](c.rows, c.cols, c.nnz, 9)
		if len(ptr) != c.rows+1 || ptr[0] != 0 || ptr[c.rows] != c.nnz || len(idx) != c.nnz || len(val) != c.nnz {
			t.Fatalf("%+v: %d pointers ending in %d, %d columns, %d values", c, len(ptr), ptr[len(ptr)-1], len(idx), len(val))
		}
		for i := range c.rows {
			if n := ptr[i+1] - ptr[i]; n < c.nnz/c.rows || n > (c.nnz-1)/c.rows+1 {
				t.Errorf("%+v: row %d has %d entries", c, i, n)
			}
			last := int32(-1)
			for p := ptr[i]; p < ptr[i+1]; p++ {
				if idx[p] <= last || int(idx[p]) >= c.cols {
					t.Fatalf("%+v: row %d has column %d after %d", c, i, idx[p], last)
				}
				last = idx[p]
				if !(val[p] > 0 && val[p] <= 1) {
					t.Fatalf("%+v: value %v", c, val[p])
				}
			}
		}
	}
	_, a, _ := Sparse[float64](50, 1000, 900, 1)
	_, b, _ := Sparse[float64](50, 1000, 900, 2)
	if slices.Equal(a, b) {
		t.Error("another seed gives the same columns")
	}
	if slices.Equal(a[:18], a[18:36]) {
		t.Error("two rows have the same columns")
	}
}

// The noise of Mixture is the part that was asked for, and below it there are as many
// factors as were planted.
func TestMixture(t *testing.T) {
	const rows, cols, rank = 60, 40, 6
	a := Mixture(rows, cols, rank, 0.05, 3)
	if len(a) != rows*cols {
		t.Fatalf("%d numbers", len(a))
	}
	for i, x := range a {
		if !(x >= 0) {
			t.Fatalf("entry %d is %v", i, x)
		}
	}
	e := energies(t, Set{Rows: rows, Cols: cols, Data: a})
	if at, below := relativeError(e, rank), relativeError(e, rank-1); at < 0.03 || at > 0.05 || below < 2*at {
		t.Errorf("relative error %.4f with rank %d and %.4f with rank %d", at, rank, below, rank-1)
	}
	must.EqualSlices(t, Mixture(rows, cols, rank, 0.05, 3), a, "another matrix for the same seed")
	must.Equal(t, hash(t, a)[:16], "f35efb3ce658acae", "hash")
}
