// Package multiply has the multiplicative update of a factor under the Kullback-Leibler
// divergence, with extrapolation, and the weights of new columns by such updates.
package multiply

import (
	"unsafe"

	"nmu/kernel"
)

// Null returns the divergence of M from the mean of its entries, given Σ m log m, Σ m and the
// sum of the weights. It is at least what rounding in that precision may leave of it.
func Null(logs, total, weights, precision float64) float64 {
	mean := kernel.DotLog([]float64{total}, []float64{total / weights}) // Σ m log(mean)
	return max(logs-mean, float64(precision*total))
}

// Renew makes the update
//
//	t = x num/(den + penalty),   x = t + beta max(0, t - before),   before = t
//
// of some entries of a factor. num is the sum of the other factor times the ratio of M to V W,
// den the sum of the other factor: one for each entry, or one for all. An entry without a
// positive finite t that is a normal number, with room for its products, becomes 0, but where
// den + penalty is 0 or num is infinite: there it stays.
//
// Only what grows is extrapolated. An entry that becomes 0 stays 0, and an extrapolation
// downwards would lead there.
func Renew[T kernel.Float](x, before, num, den []T, penalty, beta T) {
	least := leastOf[T]()
	d := penalty
	if len(den) == 1 {
		d += den[0]
	}
	for j, a := range x {
		if len(den) > 1 {
			d = den[j] + penalty
		}
		t := T(a * (num[j] / d)) // rounded: the difference below must not be fused with it
		if !(t-t == 0) {         // infinite, or not a number
			t = a
		}
		if t < least {
			t = 0
		}
		x[j] = t
		if more := t - before[j]; more > 0 {
			x[j] += T(beta * more)
		}
		before[j] = t
	}
}

// leastOf returns the least entry of a factor that is not taken for 0: the smallest normal
// number over the square of the precision.
func leastOf[T kernel.Float]() T {
	var zero T
	if unsafe.Sizeof(zero) == 8 {
		least := 0x1p-918
		return T(least)
	}
	return T(0x1p-80)
}
