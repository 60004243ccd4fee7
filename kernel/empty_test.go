package kernel_test

import (
	"testing"

	"nmu/internal/checkasm"
	"nmu/kernel"
)

// TestEmptyMatrices checks that no method of a matrix panics where there are no rows or columns.
func TestEmptyMatrices(t *testing.T) {
	for _, rows := range []int{0, 1, 7, 8, 16} {
		for _, cols := range []int{0, 1, 8, 300} {
			fault := checkasm.Catch(func() {
				m := kernel.NewMatrix[float64](rows, cols)
				m.Slice(0, rows, 0, cols).Transposed()
				kernel.Matrix[float64]{Rows: cols, Cols: rows, Data: make([]float64, rows*cols), Stride: rows}.SetTransposed(m)
				for _, n := range []int{0, 1, 8, 16} {
					if rows == 0 && n > 0 {
						continue // which has no row to take
					}
					all := kernel.Matrix[float64]{Rows: cols, Cols: n, Data: make([]float64, cols*n), Stride: n}
					all.SetTransposedRows(m, make([]int32, n))
				}
				for i := range rows {
					m.Row(i)
				}
				kernel.NewBits(rows, cols).Slice(0, rows, 0, cols)
			})
			if fault != nil {
				t.Errorf("%d x %d: %v", rows, cols, fault)
			}
		}
	}
}
