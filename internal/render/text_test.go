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

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "unknown", 0: "unknown", 1: "1 B", 1023: "1023 B", 1536: "1.5 KiB", 1 << 20: "1 MiB", 3 << 30: "3 GiB",
	} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
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
