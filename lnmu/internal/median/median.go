// Package median makes the steps of a factor of rank 1 in the l1 norm. Each entry of the factor
// is a weighted median of ratios between a line of the state N and the other factor.
package median

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
)

// Work is the workspace of one member of a team.
type Work[T kernel.Float] struct{ ratio, weight []float64 }

// NewWork returns a workspace for lines of up to most entries.
func NewWork[T kernel.Float](a *arena.Arena, most int) *Work[T] {
	return &Work[T]{arena.Slice[float64](a, most), arena.Slice[float64](a, most)}
}

// Renew sets v to the minimiser of Σ |n_j - v w_j| over v >= 0. The sum is over the entries
// that row i of mask has, or over all without a mask.
func (w *Work[T]) Renew(v *T, n, weights []T, mask kernel.Bits, i int) {
	count := 0
	var total float64
	for j, b := range weights {
		if b > 0 && (mask.Data == nil || mask.At(i, j)) {
			w.ratio[count], w.weight[count] = float64(n[j])/float64(b), float64(b)
			total += float64(b)
			count++
		}
	}
	if count == 0 {
		return
	}
	x := T(max(0, weighted(w.ratio[:count], w.weight[:count], total/2, float64(*v))))
	if !math.IsInf(float64(x), 0) { // else w is too small for its reciprocals
		*v = x
	}
}

// weighted returns the smallest x such that the elements of x up to it have a total weight of
// at least half. It reorders both slices. The first pivot is guess; later ones are medians of
// three. The time is linear in the length, except for adversarial data.
func weighted(x, weight []float64, half, guess float64) float64 {
	pivot := guess
	for {
		// [0, less) < pivot, [less, i) = pivot, [more, len) > pivot
		less, more := 0, len(x)
		var below, at float64
		for i := 0; i < more; {
			switch a := x[i]; {
			case a < pivot:
				below += weight[i]
				x[i], x[less] = x[less], x[i]
				weight[i], weight[less] = weight[less], weight[i]
				less++
				i++
			case a > pivot:
				more--
				x[i], x[more] = x[more], x[i]
				weight[i], weight[more] = weight[more], weight[i]
			default:
				at += weight[i]
				i++
			}
		}
		switch {
		case less > 0 && (below >= half || more == less && more == len(x)):
			x, weight = x[:less], weight[:less]
		case more > less && (below+at >= half || more == len(x)):
			return pivot
		default:
			half -= below + at
			x, weight = x[more:], weight[more:]
		}
		a, b, c := x[0], x[len(x)/2], x[len(x)-1]
		pivot = max(min(a, b), min(max(a, b), c))
	}
}
