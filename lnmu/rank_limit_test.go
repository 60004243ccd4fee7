package lnmu

import (
	"errors"
	"strings"
	"testing"
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
		err := checkRank(c.rank, c.m, c.n)
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "choose 1 to")) {
			t.Errorf("rank %d of %d x %d: error %v", c.rank, c.m, c.n, err)
		}
		if most := mostRank(float64(c.m), float64(c.n)); !(most >= float64(min(c.m, c.n))) {
			t.Errorf("%d x %d: at most %v factors", c.m, c.n, most)
		}
	}
	m := NewDense[float64](100, 80, nil)
	for i := range m.Data {
		m.Data[i] = 1
	}
	for _, x := range []Matrix[float64]{m, NewCSR(m)} {
		if _, err := Factor(t.Context(), x, 50_000, NMF{}, nil); !errors.Is(err, ErrOption) {
			t.Errorf("error %v", err)
		}
	}
}
