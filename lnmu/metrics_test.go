package lnmu_test

import (
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
	"nmu/lnmu/outcome"
)

func TestSparsity(t *testing.T) {
	w := lnmu.NewDense(3, 4, []float64{
		4, 0, 0.003, 0, // 0.003 < 0.1 % of 4: three zeros, sh = 1
		1, 1, 1, 1, //     no zero, sh = 0
		0, 0, 0, 0, //     four zeros, no sh
	})
	got := factors.RowSparsity(w)
	must.Equal(t, got, outcome.Sparsity{Zeros: 7. / 12, Hoyer: 0.5}, "rows of W")
	x := lnmu.NewDense(1, 2, []float64{3, 4}) // sh = (√2 - 7/5)/(√2 - 1)
	if got, want := factors.RowSparsity(x).Hoyer, (math.Sqrt2-7./5)/(math.Sqrt2-1); math.Abs(got-want) > 1e-15 {
		t.Errorf("sh = %v, want %v", got, want)
	}
	must.Equal(t, factors.RowSparsity(lnmu.NewDense(1, 1, []float64{2})), outcome.Sparsity{}, "one entry")
	v := w.Transposed()
	v, w = support.Round(v, w, group.Self{})
	for i := range w.Rows {
		for j, x := range w.Row(i) {
			if v.At(j, i) != x || (x != 0 && x < 1) {
				t.Errorf("rounded to %v and %v", x, v.At(j, i))
			}
		}
	}
}
