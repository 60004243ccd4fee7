package lnmu_test

import (
	"errors"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// TestRankLimit: a rank above the size of M is taken while the factors and their Gram matrix stay small,
// and refused before memory is taken otherwise.
func TestRankLimit(t *testing.T) {
	for _, c := range []struct {
		m, n, rank int
		ok         bool
	}{
		{100, 80, 80, true}, {100, 80, 200, true}, {100, 80, 4000, true}, {100, 80, 4100, false}, {100, 80, 50_000, false},
		{10_000_000, 3, 5, true}, {3, 10_000_000, 2_000, false}, {1, 1, 4000, true}, {20_000, 20_000, 20_000, true}, {1_000_000, 5000, 5000, true},
	} {
		shape := lnmu.Dense[float64]{Rows: c.m, Cols: c.n}
		_, _, err := lnmu.Check[float64](shape, c.rank, lnmu.NMF{}, nil)
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, lnmu.ErrOption) || !strings.Contains(err.Error(), "choose 1 to")) {
			t.Errorf("rank %d of %d x %d: error %v", c.rank, c.m, c.n, err)
		}
		if _, _, err := lnmu.Check[float64](shape, min(c.m, c.n), lnmu.NMF{}, nil); err != nil {
			t.Errorf("as many factors as the size of %d x %d: %v", c.m, c.n, err)
		}
	}
	m := lnmu.NewDense[float64](100, 80, nil)
	for i := range m.Data {
		m.Data[i] = 1
	}
	for _, x := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m)} {
		must.Refuse(lnmu.Factor(t.Context(), x, 50_000, lnmu.NMF{}, nil))(t, lnmu.ErrOption, "", "error")
	}
}
