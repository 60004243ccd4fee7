package checkasm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCompare(t *testing.T) {
	nan, other := math.NaN(), math.Float64frombits(0x7FF8_0000_0000_0BAD)
	for _, c := range []struct {
		got, want []float64
		payloads  bool
		err       string
	}{
		{[]float64{1, nan}, []float64{1, other}, false, ""},
		{[]float64{1, nan}, []float64{1, other}, true, "element 1 is NaN (0x7ff8000000000001), want NaN (0x7ff8000000000bad); 1 of 2 differ"},
		{[]float64{0, 1, 0}, []float64{math.Copysign(0, -1), 1, 5}, false, "element 0 is 0 (0x0000000000000000), want -0 (0x8000000000000000); 2 of 3 differ"},
		{[]float64{1}, nil, false, "1 elements, want 0"},
	} {
		err := Compare(c.got, c.want, c.payloads)
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("Compare(%v, %v, %v) = %v, want %q", c.got, c.want, c.payloads, err, c.err)
		}
	}
	if Same(float32(0), float32(math.Copysign(0, -1)), false) {
		t.Error("+0 and -0 are the same")
	}
}

// The classes contain what they promise.
func TestValues(t *testing.T) { testValues[float32](t); testValues[float64](t) }

func testValues[T Float](t *testing.T) {
	tiny, normal, huge, _ := Limits[T]()
	if tiny/2 != 0 || huge*2 <= huge || normal/2*2 != normal {
		t.Fatalf("limits %v, %v, %v", tiny, normal, huge)
	}
	for _, v := range All {
		x := make([]T, 4000)
		Fill(x, v, rand.New(rand.NewPCG(1, 2)))
		var count struct{ negative, zero, negZero, denormal, huge, inf, nan, pairs int }
		for i, a := range x {
			mag := T(math.Abs(float64(a)))
			switch {
			case a != a:
				count.nan++
			case mag > huge:
				count.inf++
			case a == 0 && math.Signbit(float64(a)):
				count.negZero++
			case a == 0:
				count.zero++
			case mag < normal:
				count.denormal++
			case mag == huge:
				count.huge++
			}
			if a < 0 {
				count.negative++
			}
			if a != 0 && slices.Contains(x[:i], -a) {
				count.pairs++
			}
		}
		special := v >= Special
		for _, c := range []struct {
			what string
			n    int
			want bool
		}{
			{"negative", count.negative, v != Nonnegative}, {"-0", count.negZero, special},
			{"denormal", count.denormal, special}, {"huge", count.huge, special},
			{"infinite", count.inf, v == NonFinite}, {"NaN", count.nan, v == NonFinite},
			{"+0", count.zero, v != Signed},
		} {
			if (c.n > 0) != c.want {
				t.Errorf("class %v of %s has %d %s values", v, Precision[T](), c.n, c.what)
			}
		}
		if special && count.pairs < 100 {
			t.Errorf("class %v has %d values that cancel", v, count.pairs)
		}
		if v == Nonnegative && (count.zero < 1800 || count.zero > 2200) {
			t.Errorf("class %v has %d zeros of 4000", v, count.zero)
		}
	}
}
