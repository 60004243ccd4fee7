package lnmu_test

import (
	"math"
	"strconv"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// half is a number whose double overflows to the most negative one, and whose
// product with 4 is 0.
const half = 1 << (strconv.IntSize - 2)

// TestNewDenseShape checks that there are no matrices of a size that is none.
func TestNewDenseShape(t *testing.T) {
	for _, c := range []struct {
		rows, cols int
		data       []float64
	}{
		{-1, -1, nil}, {-1, -1, make([]float64, 1)}, {-2, 0, nil}, {0, -2, nil}, {3, -1, nil},
		{half, 4, nil}, {4, half, []float64{}}, {half + 1, 4, make([]float64, 4)},
		{math.MaxInt, math.MaxInt, make([]float64, 1)}, {math.MinInt, 2, nil},
		{2, 3, make([]float64, 5)}, {2, 3, make([]float64, 7)}, {2, 3, []float64{}},
	} {
		if fault := checkasm.Catch(func() { lnmu.NewDense(c.rows, c.cols, c.data) }); fault == nil {
			t.Errorf("NewDense(%d, %d, %v) succeeds", c.rows, c.cols, c.data)
		}
	}
	for _, c := range [][2]int{{0, 0}, {0, math.MaxInt}, {math.MaxInt, 0}, {2, 3}} {
		if d := lnmu.NewDense[float32](c[0], c[1], nil); d.Rows != c[0] || d.Cols != c[1] || len(d.Data) != c[0]*c[1] {
			t.Errorf("NewDense(%d, %d, nil) is %d x %d in %d elements", c[0], c[1], d.Rows, d.Cols, len(d.Data))
		}
	}
}

// TestDenseRow checks that a row ends where it ends: an append to it must not
// write into the next one.
func TestDenseRow(t *testing.T) {
	d := lnmu.NewDense(2, 2, []float64{1, 2, 3, 4})
	row := d.Row(0)
	if len(row) != 2 || cap(row) != 2 {
		t.Errorf("row 0 has %d elements, capacity %d", len(row), cap(row))
	}
	if _ = append(row, 9); d.At(1, 0) != 3 {
		t.Errorf("an append to row 0 set M[1,0] to %v", d.At(1, 0))
	}
	for _, i := range []int{-1, 2, half} {
		if fault := checkasm.Catch(func() { lnmu.Dense[float64]{Rows: 2, Cols: 2, Data: make([]float64, 16), Stride: 4}.Row(i) }); fault == nil {
			t.Errorf("there is a row %d of 2", i)
		}
	}
}

// TestForgedShapes checks that numbers whose products overflow are no way around
// the checks of a matrix.
func TestForgedShapes(t *testing.T) {
	data := make([]float64, 8)
	for _, d := range []lnmu.Dense[float64]{
		{Rows: -1, Cols: -1, Data: data, Stride: 1},
		{Rows: 2, Cols: 2, Data: data, Stride: math.MaxInt},
		{Rows: 3, Cols: 2, Data: data, Stride: math.MaxInt},
		{Rows: half + 1, Cols: 2, Data: data, Stride: 4},
		{Rows: half + 1, Cols: 4, Data: data, Stride: 4},
		{Rows: math.MaxInt, Cols: 1, Data: data, Stride: 1},
		{Rows: 1, Cols: math.MaxInt, Data: data, Stride: math.MaxInt},
		{Rows: 2, Cols: 2, Data: data, Stride: -4},
		{Rows: 2, Cols: 2, Data: data, Stride: math.MinInt},
		{Rows: 2, Cols: 8, Data: data, Stride: 8},
		{Rows: 1, Cols: 1, Stride: 1},
	} {
		must.Fail(t, matrix.Check("M", d), lnmu.ErrShape, "", d.Rows, "x", d.Cols, "with stride", d.Stride, "in", len(d.Data), "elements")
	}
	if d := (lnmu.Dense[float64]{Rows: 1, Cols: 2, Data: data, Stride: math.MaxInt}); matrix.Check("M", d) != nil || len(d.Row(0)) != 2 {
		t.Error("the stride of a single row matters")
	}
}
