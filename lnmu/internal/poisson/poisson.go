// Package poisson has the steps of a factor that lower the Kullback-Leibler divergence, which is the
// negative log-likelihood of counts with Poisson noise: multiplicative updates with extrapolation
// (Multiply), and Newton steps for one entry after the other (Coordinates). FoldIn finds the
// weights of new columns.
package poisson

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// Terms are sums over the entries of some lines, with their weights.
type Terms struct {
	Logs    float64 // of m log r, r being the ratio of M to V W, or m for Null
	M, VW   float64 // of m, and of V W if M is incomplete
	Weights float64
	Squares float64 // of the factor of these lines
}

// Plus returns the sums over the lines of both.
func (a Terms) Plus(b Terms) Terms {
	return Terms{a.Logs + b.Logs, a.M + b.M, a.VW + b.VW, a.Weights + b.Weights, a.Squares + b.Squares}
}

// Null returns the divergence of M from the mean of its entries, given Σ m log m, Σ m and the
// sum of the weights. If it is 0 up to rounding in that precision, as M is constant, Null returns Σ m:
// a part of rounding errors would say nothing.
func Null(logs, total, weights, precision float64) float64 {
	mean := kernel.DotLog([]float64{total}, []float64{total / weights}) // Σ m log(mean)
	const sums = 16                                                     // rounding errors in units of the precision
	if null := logs - mean; null > float64(sums*precision*(total+math.Abs(logs)+math.Abs(mean))) {
		return null
	}
	return total
}

// Multiply makes the update
//
//	t = x num/(den + penalty),   x = t + beta max(0, t - before),   before = t
//
// of some entries of a factor. num is the sum of the other factor times the ratio of M to V W.
// den is the sum of the other factor, one for each entry or one for all. penalty is the l1 penalty.
// With the l2 penalty ridge, t is instead the positive root of
//
//	2 ridge t² + (den + penalty) t = x num
//
// which is the minimum of the same upper bound of the divergence, with the penalties. If t is infinite
// or not a number, as for den + penalty = 0, the entry keeps its value. If t is so small that its
// products may underflow, the entry becomes 0.
//
// Only growing entries are extrapolated. An entry that becomes 0 stays 0, and extrapolation
// downwards would lead to 0.
func Multiply[T kernel.Float](x, before, num, den []T, penalty, ridge, beta T) {
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
		if ridge > 0 {
			t = T(root(2*float64(ridge), float64(d), float64(a), float64(num[j])))
		}
		if !(t-t == 0) { // infinite, or not a number
			t = a
		}
		if t < least {
			t = 0
		}
		x[j] = t + T(beta*max(0, t-before[j])) // not by a branch, which half of the entries would take
		before[j] = t
	}
}

// root returns the root t >= 0 of a t² + b t = x num, with a > 0 and b, x, num >= 0.
func root(a, b, x, num float64) float64 {
	t := x * (num / b)
	if more := float64(4 * a * (t / b)); b > 0 && more < math.MaxFloat64 {
		return 2 * t / (1 + math.Sqrt(1+more))
	}
	return math.Sqrt(x/a) * math.Sqrt(num) // b is too small to matter
}

// Alone returns the size of a factor without another entry for its scale: the root of the largest entry of M, given
// the least divisor of M, which is that entry times the square of the precision.
func Alone[T kernel.Float](least T) float64 { return math.Sqrt(float64(least)) / matrix.Epsilon[T]() }

// Missed reports whether an entry of x, a row of V W, is 0 where m is positive and, unless there are no weights, so is
// its weight.
func Missed[T kernel.Float](x, m, weights []T) bool {
	if kernel.CountLess(x, smallest[T]()) == 0 {
		return false
	}
	for j, a := range x {
		if a == 0 && m[j] > 0 && (len(weights) == 0 || weights[j] > 0) {
			return true
		}
	}
	return false
}

// Reported returns the divergence d as a result has it: infinite if V W misses an entry, and not a number if d overflows.
func Reported(d float64, missed bool) float64 {
	switch {
	case missed:
		return math.Inf(1)
	case math.IsInf(d, 1):
		return math.NaN()
	}
	return max(0, d)
}

func smallest[T kernel.Float]() T {
	var zero T
	if unsafe.Sizeof(zero) == 8 {
		return T(math.SmallestNonzeroFloat64)
	}
	return T(math.SmallestNonzeroFloat32)
}

// leastOf returns the smallest positive entry of a factor: the smallest normal number over the
// square of the precision.
func leastOf[T kernel.Float]() T {
	var zero T
	if unsafe.Sizeof(zero) == 8 {
		least := 0x1p-918
		return T(least)
	}
	return T(0x1p-80)
}
