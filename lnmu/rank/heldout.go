package rank

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// loss measures how far V W is from M at some entries of a row. begin sets left, to which sign
// times a row of V W is then added. of returns the loss at places.
type loss[T lnmu.Float] struct {
	sign  T
	begin func(left, m []T)
	of    func(m, left []T, places []int) float64
}

// squaredError returns the loss by the squares of M - V W.
func squaredError[T lnmu.Float]() loss[T] {
	return loss[T]{-1, func(left, m []T) { copy(left, m) }, func(_, left []T, places []int) (sum float64) {
		for _, j := range places {
			sum += float64(float64(left[j]) * float64(left[j]))
		}
		return sum
	}}
}

// divergence returns the loss by the Kullback-Leibler divergence of M from V W, for rows of up
// to cols entries. An entry of V W below least counts as least, because the divergence of a
// positive entry of M from 0 is infinite.
func divergence[T lnmu.Float](cols int, least T) loss[T] {
	entries, ratios := make([]T, cols), make([]T, cols)
	return loss[T]{1, func(left, _ []T) { clear(left) }, func(m, left []T, places []int) (sum float64) {
		entries, ratios := entries[:len(places)], ratios[:len(places)]
		for at, j := range places {
			entries[at], ratios[at] = m[j], left[j]
			sum += float64(max(left[j], least)) - float64(m[j])
		}
		kernel.Ratio(ratios, entries, least)
		return sum + float64(kernel.DotLog(entries, ratios))
	}}
}

// losses returns the sums of a loss at the entries that a fold of p holds out, or at all
// observed ones if fold < 0. There is one sum for each r of the ranks, for the first r columns
// of V and rows of W. The ranks increase up to at most V.Cols. losses takes O(mnr) operations
// and allocates O(n).
func losses[T lnmu.Float](by loss[T], p *partition, m, v, w lnmu.Dense[T], ranks []int, fold int) []float64 {
	sums := make([]float64, len(ranks))
	left := make([]T, m.Cols)
	places := make([]int, 0, m.Cols)
	for i := range m.Rows {
		places = p.places(places[:0], i, fold)
		by.begin(left, m.Row(i))
		for k, x := 0, 0; x < len(ranks); k++ {
			kernel.AddScaled(left, by.sign*v.At(i, k), w.Row(k))
			for x < len(ranks) && ranks[x] == k+1 {
				sums[x] += by.of(m.Row(i), left, places)
				x++
			}
		}
	}
	return sums
}

// places appends the columns of row i that a fold holds out, or the observed ones if fold < 0.
func (p *partition) places(places []int, i, fold int) []int {
	for j, l := range p.row(i) {
		if int(l) == fold || fold < 0 && l != missing {
			places = append(places, j)
		}
	}
	return places
}

// meanSquare returns the mean square of the observed entries of M.
func meanSquare[T lnmu.Float](p *partition, m lnmu.Dense[T]) float64 {
	return mean(p, m, func(x float64) float64 { return x * x })
}

// mean returns the mean of a function of the observed entries of M.
func mean[T lnmu.Float](p *partition, m lnmu.Dense[T], of func(x float64) float64) float64 {
	var sum float64
	places := make([]int, 0, m.Cols)
	for i := range m.Rows {
		places = p.places(places[:0], i, -1)
		for _, j := range places {
			sum += float64(of(float64(m.At(i, j))))
		}
	}
	return sum / float64(p.observed)
}

// leastPart is the least value of an entry of V W at held-out entries, as a fraction of the
// mean of M. Without it a few counts where V W is almost 0 would decide between ranks.
const leastPart = 0.01

// meanDeviance returns the mean divergence of the observed entries of M from their mean, and
// that mean. As for poisson.Null, a divergence of 0 up to rounding becomes the mean itself.
func meanDeviance[T lnmu.Float](p *partition, m lnmu.Dense[T]) (deviance, center float64) {
	center = mean(p, m, func(x float64) float64 { return x })
	deviance = mean(p, m, func(x float64) float64 {
		return float64(kernel.DotLog([]float64{x}, []float64{x / center})) - (x - center)
	})
	const sums = 16 // rounding errors in units of the precision
	if !(deviance > float64(sums*matrix.Epsilon[T]()*center)) {
		deviance = center
	}
	return deviance, center
}

// relative returns the mean of a loss divided by ofM, or the square root of this for squares.
// It is 0 if sum is 0.
func (j *job[T]) relative(sum float64, entries int) float64 {
	switch {
	case sum == 0:
		return 0
	case j.divergence:
		return max(0, sum/float64(entries)/j.ofM)
	}
	return math.Sqrt(sum / float64(entries) / j.ofM)
}

// heldOut returns the mean of the errors of all folds, and its standard error.
func heldOut(folds []float64) *HeldOut {
	n := float64(len(folds))
	var sum, squares float64
	for _, e := range folds {
		sum += e
	}
	mean := sum / n
	for _, e := range folds {
		squares += float64((e - mean) * (e - mean))
	}
	return &HeldOut{Mean: mean, StandardError: math.Sqrt(squares / (n - 1) / n), Folds: folds}
}
