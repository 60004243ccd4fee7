package lnmu_test

import (
	"errors"
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// Rows of a basis that are NaN as a whole do not count, whatever M has there.
func TestTransformWithoutTheRowsThatABasisLeftOut(t *testing.T) {
	sparse := lnmutest.SparseData[float64](12, 9, 1)
	m, v := sparse.Dense(), lnmutest.RandomMatrix[float64](12, 3, 2)
	k := lnmutest.Gaps(12, 9, 0.1, 3)
	few, basis, seen := lnmu.NewDense[float64](10, 9, nil), lnmu.NewDense[float64](10, 3, nil), lnmu.NewMask(10, 9)
	weights, some, at := lnmutest.WeightsOf(k, true), lnmu.NewDense[float64](10, 9, nil), 0
	for i := range 12 {
		if i == 4 || i == 11 {
			for c := range 3 {
				v.Row(i)[c] = math.NaN()
			}
			continue
		}
		copy(few.Row(at), m.Row(i))
		copy(basis.Row(at), v.Row(i))
		for j := range 9 {
			seen.Set(at, j, k.Observed(i, j))
			some.Row(at)[j] = weights.At(i, j)
		}
		at++
	}
	for _, s := range []lnmu.TransformSettings{{}, {Divergence: true}, {Feasible: true}, {SumToOne: true}} {
		for name, c := range map[string][2]lnmu.Matrix[float64]{
			"dense":    {m, few},
			"sparse":   {sparse, few},
			"masked":   {lnmu.Observed[float64]{Matrix: m, Mask: k}, lnmu.Observed[float64]{Matrix: few, Mask: seen}},
			"weighted": {lnmu.Observed[float64]{Matrix: m, Weights: weights}, lnmu.Observed[float64]{Matrix: few, Weights: some}},
		} {
			got := must.Get(lnmu.Transform(t.Context(), c[0], v, lnmu.Dense[float64]{}, &s))(t, name, s)
			want := must.Get(lnmu.Transform(t.Context(), c[1], basis, lnmu.Dense[float64]{}, &s))(t)
			if factors.SHA256(got.W) != factors.SHA256(want.W) || math.Abs(got.RelativeError-want.RelativeError) > 1e-12 {
				t.Errorf("%s, %+v: the weights are not those of the other rows", name, s)
			}
		}
	}
	m.Row(7)[2] = -1
	var bad *lnmu.ValueError
	if _, err := lnmu.Transform(t.Context(), m, v, lnmu.Dense[float64]{}, nil); !errors.As(err, &bad) || bad.Row != 7 || bad.Col != 2 {
		t.Errorf("a bad entry is not named by its place: %v", err)
	}
	v.Row(2)[1] = math.NaN() // one entry of a row is no row that is left out
	m.Row(7)[2] = 1
	if _, err := lnmu.Transform(t.Context(), m, v, lnmu.Dense[float64]{}, nil); !errors.As(err, &bad) || bad.Matrix != "V" || bad.Row != 2 || bad.Col != 1 {
		t.Errorf("a bad entry of V is not named by its place: %v", err)
	}
}
