package spectra_test

import (
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/spectra"
)

// TestAngles compares angles with those that are known, also of sizes whose squares are
// out of range, small ones and those to zeros.
func TestAngles(t *testing.T) {
	v := lnmu.NewDense(2, 4, []float64{1, 1e200, 1, 0, 0, 1e200, 1e-9, 0})
	library := lnmu.NewDense(2, 3, []float64{1e-200, 1, -1, 0, math.Sqrt(3), 0})
	got := must.Get(spectra.Angles(v, library))(t)
	nan := math.NaN()
	for k, want := range [][]float64{{0, math.Pi / 3, math.Pi}, {math.Pi / 4, math.Pi / 12, 3 * math.Pi / 4}, {1e-9, math.Pi/3 - 1e-9, math.Pi - 1e-9}, {nan, nan, nan}} {
		for l, w := range want {
			if x := got.At(k, l); !(math.Abs(x-w) <= 1e-15*(1+w)) && !(math.IsNaN(x) && math.IsNaN(w)) {
				t.Errorf("angle %d, %d is %v, want %v", k, l, x, w)
			}
		}
	}
	must.Refuse(spectra.Angles(v, lnmu.NewDense[float64](3, 1, nil)))(t, lnmu.ErrShape, "", "a library of 3 rows for V of 2")
	must.Refuse(spectra.Angles(v, lnmu.NewDense(2, 1, []float64{1, nan})))(t, lnmu.ErrValue, "", "a library that is not finite")
}
