package kernel_test

import (
	"strings"
	"testing"

	"nmu/kernel"
)

// TestSetTransposedRows: column t becomes the chosen row, in any order and more than once, and
// nothing beside the matrix changes. A row that does not exist is an error before anything is
// written.
func TestSetTransposedRows(t *testing.T) {
	src := kernel.NewMatrix[float64](30, 7)
	for i := range src.Rows {
		for j := range src.Row(i) {
			src.Row(i)[j] = float64(100*i + j)
		}
	}
	for _, n := range []int{0, 1, 7, 8, 9, 16, 29} {
		whole := kernel.NewMatrix[float64](7, n+1)
		for j := range whole.Rows {
			whole.Row(j)[n] = -1
		}
		rows := make([]int32, n)
		for c := range rows {
			rows[c] = int32(c * 13 % 30)
		}
		whole.Slice(0, 7, 0, n).SetTransposedRows(src, rows)
		for j := range whole.Rows {
			for c, x := range whole.Row(j) {
				if want := -1.0; c == n && x != want || c < n && x != src.Row(int(rows[c]))[j] {
					t.Errorf("%d rows: entry (%d, %d) is %v", n, j, c, x)
				}
			}
		}
	}
	for _, wrong := range []int32{-1, 30} {
		dst := kernel.NewMatrix[float64](7, 2)
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.Contains(r, "which has 30") {
					t.Errorf("row %d: panic %v", wrong, r)
				}
			}()
			dst.SetTransposedRows(src, []int32{0, wrong})
		}()
		if dst.Data[0] != 0 || dst.Row(1)[0] != 0 {
			t.Errorf("row %d: the matrix was written", wrong)
		}
	}
}
