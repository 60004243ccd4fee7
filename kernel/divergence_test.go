package kernel_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
)

// TestLogarithm compares the logarithm of DotLog, at every level, with one of 150 bits: it is
// wrong by at most a unit in the last place.
func TestLogarithm(t *testing.T) {
	t.Run("float64", testLogarithm[float64])
	t.Run("float32", testLogarithm[float32])
}

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
		if err := checkasm.Compare(x, []float64{0, 6, 1.5, 6, 6}, true); err != nil {
			t.Errorf("%v: Ratio: %v", level, err)
		}
		nan := math.NaN()
		if got := kernel.DotLog([]float64{nan, nan, 2, math.Inf(1)}, []float64{0, nan, math.E, -1}); math.Abs(got-2) > 1e-15 {
			t.Errorf("%v: DotLog is %v, want 2", level, got)
		}
		restore()
	}
}
