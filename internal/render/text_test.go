package render

import (
	"math"
	"testing"
)

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 1: "1", 0.12345: "0.1235", 12.345: "12.35", 12345.6: "12346", 1.5e9: "1.500e+09", 1e-6: "1.000e-06", math.Inf(1): "+Inf",
	} {
		if got := Number(x); got != want {
			t.Errorf("Number(%g) = %q, want %q", x, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 rows", 1: "1 row", 2: "2 rows"} {
		if got := Plural(n, "row"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
