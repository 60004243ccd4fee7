package compare

import (
	"math"
	"math/rand/v2"

	"nmu/kernel"
)

// mostMean is the largest mean of a count: above it not every count is a number.
const mostMean = 1 << 50

// poisson draws a count with the given mean, from 0 to mostMean. It uses the arithmetic of Go and
// the logarithm of package kernel alone, so that the count has the same bits on every machine.
//
// Below a mean of 12 the count is found by inversion. From there it is the method PTRS (W.
// Hörmann, The transformed rejection method for generating Poisson random variables, 1993).
func poisson(rng *rand.Rand, mean float64) float64 {
	if mean < 12 {
		return byInversion(rng, mean)
	}
	b := 0.931 + float64(2.53*math.Sqrt(mean))
	a := float64(0.02483*b) - 0.059
	inverse := 1.1239 + 1.1328/(b-3.4)
	fast := 0.9277 - 3.6224/(b-2)
	for {
		u, v := uniform(rng)-0.5, uniform(rng)
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*a/us+b)*u) + mean + 0.43)
		if us >= 0.07 && v <= fast {
			return k
		}
		if k < 0 || us < 0.013 && v > us || !(v > 0) {
			continue
		}
		if logarithm(v*inverse/(a/float64(us*us)+b)) <= float64(k*logarithm(mean))-mean-logFactorial(k) {
			return k
		}
	}
}

// uniform returns a number from [0, 1) with 53 bits.
func uniform(rng *rand.Rand) float64 { return float64(rng.Uint64()>>11) / (1 << 53) }

// byInversion returns the first count up to which the probabilities exceed a uniform number.
func byInversion(rng *rand.Rand, mean float64) float64 {
	u := uniform(rng)
	p := exponential(-mean)
	k := 0.0
	for sum := p; u >= sum && p > 0; sum += p {
		k++
		p = float64(p*mean) / k
	}
	return k
}

// exponential returns e^x for -12 <= x <= 0, by the series of x/64.
func exponential(x float64) float64 {
	x /= 64
	sum := 1.0
	for k := 14.0; k >= 1; k-- {
		sum = 1 + float64(x*sum)/k
	}
	for range 6 {
		sum *= sum
	}
	return sum
}

func logarithm(x float64) float64 {
	one, at := [1]float64{1}, [1]float64{x}
	return kernel.DotLog(one[:], at[:])
}

// logFactorial returns log k! for whole k, by Stirling's series from 10 on.
func logFactorial(k float64) float64 {
	if k < 10 {
		product := 1.0
		for i := 2.0; i <= k; i++ {
			product *= i
		}
		return logarithm(product)
	}
	const halfLog = 0.91893853320467274178 // log(2 pi) / 2
	square := float64(k * k)
	series := (1.0/12 - (1.0/360-1/float64(1260*square))/square) / k
	return float64((k+0.5)*logarithm(k)) - k + halfLog + series
}
