package checkasm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
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

// TestValues checks that each class contains what it promises.
func TestValues(t *testing.T) { testValues[float32](t); testValues[float64](t) }

func testValues[T Float](t *testing.T) {
	tiny, normal, huge, _ := Limits[T]()
	if tiny/2 != 0 || huge*2 <= huge || normal/2*2 != normal {
		t.Fatalf("limits %v, %v, %v", tiny, normal, huge)
	}
	for _, v := range All {
		x, count := make([]T, 4000), map[string]int{}
		Fill(x, v, rand.New(rand.NewPCG(1, 2)))
		for i, a := range x {
			mag := T(math.Abs(float64(a)))
			for what, is := range map[string]bool{
				"NaN": a != a, "infinite": mag > huge, "-0": a == 0 && math.Signbit(float64(a)), "+0": Bits(a) == 0,
				"denormal": mag > 0 && mag < normal, "huge": mag == huge, "negative": a < 0, "canceling": a != 0 && slices.Contains(x[:i], -a),
			} {
				if is {
					count[what]++
				}
			}
		}
		special := v >= Special
		for what, want := range map[string]bool{
			"negative": v != Nonnegative, "-0": special, "denormal": special, "huge": special,
			"infinite": v == NonFinite, "NaN": v == NonFinite, "+0": v != Signed,
		} {
			must.Equal(t, count[what] > 0, want, "class", v, "of", Precision[T](), "has", count[what], what, "values")
		}
		if zeros := count["+0"]; special && count["canceling"] < 100 || v == Nonnegative && (zeros < 1800 || zeros > 2200) {
			t.Errorf("class %v has %d values that cancel and %d zeros of 4000", v, count["canceling"], zeros)
		}
	}
}
