package lnmu_test

import (
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestSparseIsMatrix: a sparse matrix has the entries of the dense one, in memory and as it is
// read.
func TestSparseIsMatrix(t *testing.T) {
	m := lnmutest.SparseData[float64](23, 17, 5)
	d := m.Dense()
	stored := &lnmutest.RowsOfCSR[float64]{CSR: m}
	for _, x := range []lnmu.Matrix[float64]{m, stored} {
		if rows, cols := x.Dims(); rows != 23 || cols != 17 {
			t.Errorf("%T is %d x %d", x, rows, cols)
		}
		for i := range d.Rows {
			for j := range d.Cols {
				if x.At(i, j) != d.At(i, j) {
					t.Fatalf("%T: entry (%d, %d) is %v, want %v", x, i, j, x.At(i, j), d.At(i, j))
				}
			}
		}
	}
}
