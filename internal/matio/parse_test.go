package matio_test

import (
	"math"
	"testing"

	"nmu/internal/matio/internal/element"
	"nmu/internal/must"
)

func TestParse(t *testing.T) {
	for word, want := range map[string]float64{"1.5": 1.5, "-.5e-3": -5e-4, "1.5D+02": 150, "1d-1": 0.1, "inf": math.Inf(1), "-Infinity": math.Inf(-1), "1.e5": 1e5} {
		must.Equal(t, must.Get(element.Parse(word))(t), want, word)
	}
	for _, word := range []string{"0x10", "0X1p-2", "0x1.8p1", "-0x1p4", "0x_1p4", "1_0", "1_0.5", "1.5D+999", "0x1D+2", "1D5", "", "x", "infx"} {
		if x, err := element.Parse(word); err == nil {
			t.Errorf("%q is read as %v", word, x)
		}
	}
}
