package lnmutest_test

import (
	"testing"

	"nmu/kernel"
	"nmu/lnmu/internal/lnmutest"
)

// TestTranspose compares with a copy entry by entry, around the sizes of its tiles.
func TestTranspose(t *testing.T) {
	for _, rows := range []int{1, 7, 8, 9, 17} {
		for _, cols := range []int{1, 3, 255, 256, 257, 520} {
			src := lnmutest.Data[float32](rows, cols, 1)
			dst := kernel.NewMatrix[float32](cols, rows)
			for i := range dst.Data {
				dst.Data[i] = -1
			}
			dst.SetTransposed(src)
			for j := range cols {
				for i := range dst.Stride {
					want := float32(-1)
					if i < rows {
						want = src.At(i, j)
					}
					if got := dst.Data[j*dst.Stride+i]; got != want {
						t.Fatalf("%d x %d: entry (%d, %d) is %v, want %v", rows, cols, j, i, got, want)
					}
				}
			}
		}
	}
}
