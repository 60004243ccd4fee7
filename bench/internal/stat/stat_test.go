package stat

import (
	"encoding/json"
	"math"
	"testing"
)

func TestNewStat(t *testing.T) {
	s := New([]float64{5, 1, 4, 2, 3})
	if s.Median != 3 || s.Low != 1 || s.High != 5 || s.Confidence != 1-2.0/32 {
		t.Errorf("five samples: %+v", s)
	}
	if want := 4.0 / 3; s.Spread != want {
		t.Errorf("spread %g, want %g", s.Spread, want)
	}
	if s.Samples[0] != 5 {
		t.Errorf("samples %v are not in the order measured", s.Samples)
	}
	if s := New(nil); s.Median != 0 || s.Samples != nil {
		t.Errorf("no samples: %+v", s)
	}
	many := make([]float64, 30)
	for i := range many {
		many[i] = float64(i)
	}
	if s := New(many); s.Median != 14.5 || s.Low <= 0 || s.High >= 29 || s.Confidence < 0.95 {
		t.Errorf("thirty samples: %+v", s)
	}
	for n := 1; n < 8; n++ {
		if _, err := json.Marshal(New(many[:n])); err != nil {
			t.Errorf("%d samples: %v", n, err)
		}
	}
}

func TestOver(t *testing.T) {
	a, b := New([]float64{1, 20, 3}), New([]float64{2, 10, 2})
	for _, c := range []struct {
		got, want float64
		what      string
	}{
		{a.Over(b), 1.5, "in turn"},
		{b.Over(a), 1 / 1.5, "the other way round"},
		{a.Over(New([]float64{2, 2})), 1.5, "of other repetitions"},
		{Stat{Median: 3}.Over(Stat{Median: 2}), 1.5, "of medians alone"},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", c.what, c.got, c.want)
		}
	}
}

func TestCompareStats(t *testing.T) {
	old := New([]float64{10, 11, 10.5, 10.2, 10.8})
	faster := New([]float64{5, 5.1, 5.2, 5.3, 5.4})
	c := Compare(old, faster)
	if !c.Significant || c.Ratio != 5.2/10.5 || !(c.Low < c.Ratio && c.Ratio < c.High && c.High < 1) {
		t.Errorf("half the time: %+v", c)
	}
	if c := Compare(old, old); c.Significant || c.Ratio != 1 {
		t.Errorf("the same: %+v", c)
	}
	if c := Compare(old, Stat{}); c.P != 1 || !math.IsNaN(c.Ratio) {
		t.Errorf("nothing to compare with: %+v", c)
	}
}
