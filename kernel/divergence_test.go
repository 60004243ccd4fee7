package kernel_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
)

// TestLogarithm compares the logarithm of DotLog, at every level, with one of 150 bits: it is
// wrong by at most a unit in the last place.
func TestLogarithm(t *testing.T) { kernel.Both(t, testLogarithm[float64], testLogarithm[float32]) }

func testLogarithm[T kernel.Float](t *testing.T) {
	tiny, normal, huge, eps := checkasm.Limits[T]()
	all := []T{tiny, 3 * tiny, normal - tiny, normal, huge, 1 - eps/2, 1, 1 + eps, 2, 10, T(math.Sqrt2), T(math.Sqrt2 / 2), T(math.E)}
	for _, x := range all {
		all = append(all, x*(1-eps), x*(1+eps))
	}
	count := 3000
	if os.Getenv("NMU_FULL") != "" {
		count = 300_000
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range count {
		x := checkasm.Draw[T](checkasm.AnyBits, r) // of any exponent
		near := T(1 + (r.Float64()-0.5)*math.Exp2(-20*r.Float64()))
		all = append(all, x, -x, near, T(r.Float64()))
	}
	worst := 0.0
	for _, x := range all {
		if !(x > 0) || math.IsInf(float64(x), 0) {
			continue
		}
		exact := bigLog(float64(x))
		nearest, _ := exact.Float64()
		unit := ulp(T(nearest))
		for _, level := range isa.Available() {
			restore := isa.Set(level)
			got := kernel.DotLog([]T{1}, []T{x})
			restore()
			off, _ := new(big.Float).Sub(exact, big.NewFloat(float64(got))).Float64()
			if off = math.Abs(off) / unit; !(off <= 1) {
				t.Errorf("%v: log %v is %v, want %v: wrong by %v units", level, x, got, nearest, off)
			}
			worst = max(worst, off)
		}
	}
	t.Logf("at most %.3f units in the last place of %d logarithms", worst, len(all))
}

// ulp returns the distance between the numbers of T beside x.
func ulp[T kernel.Float](x T) float64 {
	tiny, normal, _, eps := checkasm.Limits[T]()
	if x = max(x, -x); x < normal {
		return float64(tiny)
	}
	_, e := math.Frexp(float64(x))
	return math.Ldexp(float64(eps), e-1)
}

// bigLog returns log x for x > 0, by the series of log((1 + s)/(1 - s)) = 2 (s + s³/3 + ...).
func bigLog(x float64) *big.Float {
	const bits = 150
	series := func(f *big.Float) *big.Float { // of 1/2 <= f <= 2
		one := new(big.Float).SetPrec(bits).SetInt64(1)
		s := new(big.Float).SetPrec(bits).Quo(new(big.Float).Sub(f, one), new(big.Float).Add(f, one))
		z := new(big.Float).SetPrec(bits).Mul(s, s)
		sum, power := new(big.Float).SetPrec(bits), new(big.Float).SetPrec(bits).Add(s, s)
		for i := int64(1); power.Sign() != 0 && power.MantExp(nil) > -bits-60; i += 2 {
			sum.Add(sum, new(big.Float).SetPrec(bits).Quo(power, new(big.Float).SetPrec(bits).SetInt64(i)))
			power.Mul(power, z)
		}
		return sum
	}
	f, e := math.Frexp(x)
	log2 := series(new(big.Float).SetPrec(bits).SetInt64(2))
	log := new(big.Float).SetPrec(bits).Mul(log2, new(big.Float).SetPrec(bits).SetInt64(int64(e)))
	return log.Add(log, series(new(big.Float).SetPrec(bits).SetFloat64(f)))
}

// TestRatioOfZeros: an x below the least one does not make the ratio infinite, and terms of
// ratio zero count as nothing, whatever stands beside them.
func TestRatioOfZeros(t *testing.T) {
	for _, level := range isa.Available() {
		restore := isa.Set(level)
		x := []float64{0, 0, 2, 1e-300, math.NaN()}
		kernel.Ratio(x, []float64{0, 3, 3, 3, 3}, 0.5)
		must.Equal(t, checkasm.Compare(x, []float64{0, 6, 1.5, 6, 6}, true), nil, level, "Ratio")
		nan := math.NaN()
		must.AtMost(t, math.Abs(kernel.DotLog([]float64{nan, nan, 2, math.Inf(1)}, []float64{0, nan, math.E, -1})-2), 1e-15, level, "DotLog")
		restore()
	}
}

// TestLogDerivativesOfZeros: an x below the least one, or NaN, counts as the least one, so that
// the sums are finite. Entries without m > 0 count as nothing, whatever stands beside them. All
// of x moves.
func TestLogDerivativesOfZeros(t *testing.T) {
	kernel.EveryLevel(t, testLogDerivativesOfZeros[float64], testLogDerivativesOfZeros[float32])
}

func testLogDerivativesOfZeros[T kernel.Float](t *testing.T) {
	nan, inf := T(math.NaN()), T(math.Inf(1))
	for _, c := range []struct {
		x, m, g, moved       []T
		least, first, second T
	}{
		{x: []T{-2, 0, nan, -1}, m: []T{3, 4, 5, 6}, g: []T{1, 1, 1, 1}, moved: []T{0, 2, nan, 1}, least: 0.5, first: 24, second: 39},
		{x: []T{-2, -2, nan, 2}, m: []T{0, nan, -1, 2}, g: []T{nan, 1, inf, 2}, moved: []T{0, 0, nan, 4}, first: 1, second: 0.5},
		{x: []T{-2, -2, nan, -inf}, m: []T{0, 0, -inf, nan}, g: []T{0, inf, nan, nan}, moved: []T{0, 0, nan, -inf}},
	} {
		for _, times := range []int{1, 16, 17} { // the last elements, whole vectors, both
			var x, last, m, g, moved []T
			for range times {
				x, m, g, moved = append(x, c.x...), append(m, c.m...), append(g, c.g...), append(moved, c.moved...)
				last = append(last, 1, 1, 1, 1)
			}
			at := append([]T(nil), x...)
			first, second := kernel.LogDerivatives(at, last, 2, m, g, c.least)
			if n := T(times); first != n*c.first || second != n*c.second {
				t.Errorf("the derivatives of %v at %v along %v are %v and %v, want %v and %v", m, at, g, first, second, n*c.first, n*c.second)
			}
			must.Equal(t, checkasm.Compare(at, moved, false), nil, "moved x")
		}
	}
}

// TestDotLogOfNegativeZeros: terms that round to -0 make lanes of -0. An entry that is ignored or missing in the
// last group adds +0, which makes its lane +0.
func TestDotLogOfNegativeZeros(t *testing.T) {
	kernel.EveryLevel(t, testDotLogOfNegativeZeros[float64], testDotLogOfNegativeZeros[float32])
}

func testDotLogOfNegativeZeros[T kernel.Float](t *testing.T) {
	tiny, _, _, eps := checkasm.Limits[T]()
	lanes := 64 / int(unsafe.Sizeof(tiny))
	for groups := 1; groups <= 3; groups++ {
		m, r := slices.Repeat([]T{-tiny}, groups*lanes), slices.Repeat([]T{1 + eps}, groups*lanes)
		for what, c := range map[string]struct {
			m, r []T
			sign T
		}{
			"whole groups":        {m, r, -1},
			"one more term":       {append(m[:len(m):len(m)], -tiny), append(r[:len(r):len(r)], 1+eps), 1},
			"an ignored one":      {m, append(r[:len(r)-1:len(r)-1], 0), 1},
			"a group of ignored":  {append(m[:len(m):len(m)], m[:lanes]...), append(r[:len(r):len(r)], make([]T, lanes)...), 1},
			"a group of negative": {append(m[:len(m):len(m)], m[:lanes]...), append(r[:len(r):len(r)], m[:lanes]...), 1},
		} {
			if got := kernel.DotLog(c.m, c.r); got != 0 || 1/got*c.sign < 0 {
				t.Errorf("%d groups, %s: %v, want a zero of sign %v", groups, what, got, c.sign)
			}
		}
	}
}
