package lnmu

import (
	"testing"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// TestInPlace: a method that only reads M reads it where it lies, if the rows of a
// pass lie there as those of a matrix of its own would.
func TestInPlace(t *testing.T) {
	own := kernel.NewMatrix[float64](40, 24)
	for i := range own.Rows {
		copy(own.Row(i), data[float64](40, 24, 1).Row(i))
	}
	shifted := Dense[float64]{Rows: 39, Cols: 24, Data: own.Data[1:], Stride: own.Stride}
	for _, c := range []struct {
		name   string
		m      Matrix[float64]
		method Method
		want   bool
	}{
		{"nmf", own, NMF{}, true},
		{"rows between cache lines", shifted, NMF{}, false},
		{"rows of 1024 bytes", kernel.Matrix[float64]{Rows: 20, Cols: 24, Data: kernel.NewMatrix[float64](1, 20*128).Data, Stride: 128}, NMF{}, false},
		{"columns", Strided[float64]{Rows: 24, Cols: 40, Data: own.Data, RowStride: 1, ColStride: own.Stride}, NMF{}, true},
		{"columns of a tall matrix", Strided[float64]{Rows: 40, Cols: 24, Data: own.Data, RowStride: 1, ColStride: 40}, NMF{}, false},
		{"gnmu", shifted, GNMU{}, true},
		{"rnmu, which deflates M", own, RNMU{}, false},
	} {
		src, err := sourceOf(c.m)
		if err != nil {
			t.Fatal(err)
		}
		p, s, err := prepare(src.rows, src.cols, 3, c.method, &Settings{Threads: 1}, false)
		if err != nil {
			t.Fatal(err)
		}
		d := &denseStorage[float64]{Plan: p.plan(s, 3, false), source: src}
		a := d.Open(1).(*place[float64])
		if got := unsafe.SliceData(a.m.Data) == unsafe.SliceData(src.stored.Data); got != c.want {
			t.Errorf("%s: M in place is %v, want %v", c.name, got, c.want)
		}
		a.Close()
	}
}

// TestTranspose compares with a copy entry by entry, around the sizes of its tiles.
func TestTranspose(t *testing.T) {
	for _, rows := range []int{1, 7, 8, 9, 17} {
		for _, cols := range []int{1, 3, 255, 256, 257, 520} {
			src := data[float32](rows, cols, 1)
			dst := kernel.NewMatrix[float32](cols, rows)
			for i := range dst.Data {
				dst.Data[i] = -1
			}
			matrix.Transpose(dst, src)
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
