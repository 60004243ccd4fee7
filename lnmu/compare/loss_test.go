package compare

import (
	"math"
	"testing"

	"nmu/internal/dataset"
	"nmu/lnmu"
)

// mixture returns a rows x cols matrix of a rank that is to be found.
func mixture[T lnmu.Float](rows, cols, rank int, noise float64, seed uint64) lnmu.Dense[T] {
	data, err := dataset.Mixture(rows, cols, rank, noise, seed)
	if err != nil {
		panic(err)
	}
	m := lnmu.NewDense[T](rows, cols, nil)
	for x, a := range data {
		m.Data[x] = T(a)
	}
	return m
}

// The sums of squares are those of the definition, for every prefix of the factors, and
// what M holds at a missing entry has no influence.
func TestSquares(t *testing.T) {
	testLoss(t, squaredError[float64](), func(m, x float64) float64 { return (m - x) * (m - x) })
}

// Likewise the divergences, also where V W is 0.
func TestDivergences(t *testing.T) {
	const least = 0.01
	testLoss(t, divergence[float64](13, least), func(m, x float64) float64 {
		if x = max(x, least); m == 0 {
			return x
		}
		return m*math.Log(m/x) - m + x
	})
}

// testLoss compares a loss with that of an entry m of M, and x of V W.
func testLoss(t *testing.T, by loss[float64], of func(m, x float64) float64) {
	m := mixture[float64](9, 13, 3, 0.1, 1)
	v, w := mixture[float64](9, 4, 4, 0, 2), mixture[float64](4, 13, 4, 0, 3)
	for k := range 4 {
		v.Row(2)[k] = 0
	}
	m.Row(3)[4], m.Row(2)[5] = 0, 0
	observed := func(i, j int) bool { return (i+2*j)%7 != 0 }
	p := speckle(9, 13, 3, 5, observed)
	for i := range m.Rows {
		for j := range m.Cols {
			if !observed(i, j) {
				m.Row(i)[j] = math.NaN()
			}
		}
	}
	ranks := []int{1, 3, 4}
	for fold := whole; fold < 3; fold++ {
		got := losses(by, p, m, v, w, ranks, fold)
		for x, r := range ranks {
			var want float64
			for i := range m.Rows {
				for j := range m.Cols {
					if l := p.row(i)[j]; l == missing || fold != whole && int(l) != fold {
						continue
					}
					var vw float64
					for k := range r {
						vw += v.At(i, k) * w.At(k, j)
					}
					want += of(m.At(i, j), vw)
				}
			}
			if math.Abs(got[x]-want) > 1e-12*want {
				t.Errorf("fold %d, rank %d: %v, want %v", fold, r, got[x], want)
			}
		}
	}
	var want float64
	for i := range m.Rows {
		for _, x := range m.Row(i) {
			if x == x {
				want += x * x
			}
		}
	}
	if got := meanSquare(p, m); math.Abs(got-want/float64(p.observed)) > 1e-12*got {
		t.Errorf("mean square %v, want %v", got, want/float64(p.observed))
	}
}
