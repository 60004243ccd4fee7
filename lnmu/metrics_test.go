package lnmu

import (
	"errors"
	"math"
	"testing"

	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
)

func TestSparsity(t *testing.T) {
	w := NewDense(3, 4, []float64{
		4, 0, 0.003, 0, // 0.003 < 0.1 % of 4: three zeros, sh = 1
		1, 1, 1, 1, //     no zero, sh = 0
		0, 0, 0, 0, //     four zeros, no sh
	})
	got := RowSparsity(w)
	if want := (Sparsity{Zeros: 7. / 12, Hoyer: 0.5}); got != want {
		t.Errorf("rows of W: %+v, want %+v", got, want)
	}
	if got := RowSparsity(w); got != RowSparsity(w) {
		t.Errorf("columns of V: %+v, want those of the rows of the transpose", got)
	}
	x := NewDense(1, 2, []float64{3, 4}) // sh = (√2 - 7/5)/(√2 - 1)
	if got, want := RowSparsity(x).Hoyer, (math.Sqrt2-7./5)/(math.Sqrt2-1); math.Abs(got-want) > 1e-15 {
		t.Errorf("sh = %v, want %v", got, want)
	}
	if got := RowSparsity(NewDense(1, 1, []float64{2})); got != (Sparsity{}) {
		t.Errorf("one entry: %+v, want zero", got)
	}
	v := w.Transposed()
	support.RoundBasis(v, group.Self{})
	support.RoundWeights(w, group.Self{})
	for i := range w.Rows {
		for j, x := range w.Row(i) {
			if v.At(j, i) != x || (x != 0 && x < 1) {
				t.Errorf("rounded to %v and %v", x, v.At(j, i))
			}
		}
	}
}

// TestSpectralAngles compares angles with those that are known, also of sizes whose squares are
// out of range, small ones and those to zeros.
func TestSpectralAngles(t *testing.T) {
	v := NewDense(2, 4, []float64{1, 1e200, 1, 0, 0, 1e200, 1e-9, 0})
	library := NewDense(2, 3, []float64{1e-200, 1, -1, 0, math.Sqrt(3), 0})
	got, err := SpectralAngles(v, library)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for k, want := range [][]float64{{0, math.Pi / 3, math.Pi}, {math.Pi / 4, math.Pi / 12, 3 * math.Pi / 4}, {1e-9, math.Pi/3 - 1e-9, math.Pi - 1e-9}, {nan, nan, nan}} {
		for l, w := range want {
			if x := got.At(k, l); !(math.Abs(x-w) <= 1e-15*(1+w)) && !(math.IsNaN(x) && math.IsNaN(w)) {
				t.Errorf("angle %d, %d is %v, want %v", k, l, x, w)
			}
		}
	}
	if _, err := SpectralAngles(v, NewDense[float64](3, 1, nil)); !errors.Is(err, ErrShape) {
		t.Errorf("a library of 3 rows for V of 2: %v", err)
	}
	if _, err := SpectralAngles(v, NewDense(2, 1, []float64{1, nan})); !errors.Is(err, ErrValue) {
		t.Errorf("a library that is not finite: %v", err)
	}
}
