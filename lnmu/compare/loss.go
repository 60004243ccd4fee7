package compare

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// loss measures how far V W is from M at some entries of a row. begin sets left, to which sign
// times a row of V W is then added. of returns the loss at columns, with their weights; nil
// stands for 1. An entry of V W above most, unless that is nil, counts as most.
type loss[T lnmu.Float] struct {
	sign  T
	begin func(left, m []T)
	of    func(m, left, most []T, columns []int, weights []float64) float64
}

// squaredError returns the loss by the squares of M - V W.
func squaredError[T lnmu.Float]() loss[T] {
	return loss[T]{-1, func(left, m []T) { copy(left, m) }, func(m, left, most []T, columns []int, weights []float64) (sum float64) {
		for at, j := range columns {
			e := float64(left[j])
			if most != nil {
				e = max(e, float64(m[j]-most[j]))
			}
			square := float64(e * e)
			if weights != nil {
				square = float64(square * weights[at])
			}
			sum += square
		}
		return sum
	}}
}

// divergence returns the loss by the Kullback-Leibler divergence of M from V W, for rows of up
// to cols entries. An entry of V W below least counts as least, because the divergence of a
// positive entry of M from 0 is infinite.
func divergence[T lnmu.Float](cols int, least T) loss[T] {
	entries, ratios := make([]T, cols), make([]T, cols)
	return loss[T]{1, func(left, _ []T) { clear(left) }, func(m, left, most []T, columns []int, weights []float64) (sum float64) {
		entries, ratios := entries[:len(columns)], ratios[:len(columns)]
		for at, j := range columns {
			x := left[j]
			if most != nil {
				x = min(x, most[j])
			}
			entries[at], ratios[at] = m[j], x
			above := float64(max(x, least)) - float64(m[j])
			if weights != nil {
				above = float64(above * weights[at])
			}
			sum += above
		}
		kernel.Ratio(ratios, entries, least)
		for at, w := range weights {
			entries[at] = T(float64(entries[at]) * w)
		}
		return sum + float64(kernel.DotLog(entries, ratios))
	}}
}

// losses returns the sums of a loss at the entries that a fold of p holds out, or at all
// observed ones if fold < 0. There is one sum for each r of the ranks, for the first r columns
// of V and rows of W. The ranks increase up to at most V.Cols. With weights, V W counts at a held-out
// entry as at most the largest entry of its row and column that is not held out. Entries of much smaller
// weight hardly bound V W there, and a single entry would decide between ranks. losses takes O(mnr)
// operations and allocates O(m + n).
func losses[T lnmu.Float](by loss[T], p *partition, m, v, w lnmu.Dense[T], ranks []int, fold int) []float64 {
	sums, left := make([]float64, len(ranks)), make([]T, m.Cols)
	var ofRows, ofColumns, most []T
	if fold >= 0 && p.weights != nil {
		ofRows, ofColumns = peaks(p, m, fold)
		most = make([]T, m.Cols)
	}
	p.each(fold, func(i int, columns []int, weights []float64) {
		for j := range most {
			most[j] = max(ofRows[i], ofColumns[j])
		}
		by.begin(left, m.Row(i))
		for k, x := 0, 0; x < len(ranks); k++ {
			kernel.AddScaled(left, by.sign*v.At(i, k), w.Row(k))
			for x < len(ranks) && ranks[x] == k+1 {
				sums[x] += by.of(m.Row(i), left, most, columns, weights)
				x++
			}
		}
	})
	return sums
}

// peaks returns the largest entry of each row and of each column of M that is observed and that a fold
// does not hold out.
func peaks[T lnmu.Float](p *partition, m lnmu.Dense[T], fold int) (ofRows, ofColumns []T) {
	ofRows, ofColumns = make([]T, m.Rows), make([]T, m.Cols)
	for i := range m.Rows {
		for j, l := range p.row(i) {
			if l != missing && int(l) != fold {
				a := m.At(i, j)
				ofRows[i], ofColumns[j] = max(ofRows[i], a), max(ofColumns[j], a)
			}
		}
	}
	return ofRows, ofColumns
}

// each calls do for each row, with the columns that a fold holds out, or the observed ones if fold < 0,
// and their weights, or nil if all are equal.
func (p *partition) each(fold int, do func(i int, columns []int, weights []float64)) {
	columns := make([]int, 0, p.cols)
	var weights []float64
	for i := range p.rows {
		columns, weights = columns[:0], weights[:0]
		for j, l := range p.row(i) {
			if int(l) == fold || fold < 0 && l != missing {
				columns = append(columns, j)
				if p.weights != nil {
					weights = append(weights, p.weights.At(i, j)/p.largest)
				}
			}
		}
		do(i, columns, weights)
	}
}

// weigh sets the weights of the observed entries.
func (p *partition) weigh(weights lnmu.Matrix[float64]) {
	p.each(whole, func(i int, columns []int, _ []float64) {
		for _, j := range columns {
			p.largest = max(p.largest, weights.At(i, j))
		}
	})
	p.weights = weights
}

// total returns the sum of the weights of the entries that a fold holds out, or of the observed
// ones if fold < 0. It is their number if all weights are equal.
func (p *partition) total(fold int) (sum float64) {
	switch {
	case p.weights != nil:
	case fold < 0:
		return float64(p.observed)
	default:
		return float64(p.held[fold])
	}
	p.each(fold, func(_ int, _ []int, weights []float64) {
		for _, w := range weights {
			sum += w
		}
	})
	return sum
}

// mean returns the weighted mean of a function of the observed entries of M.
func mean[T lnmu.Float](p *partition, m lnmu.Dense[T], of func(x float64) float64) float64 {
	var sum float64
	p.each(whole, func(i int, columns []int, weights []float64) {
		for at, j := range columns {
			x := of(float64(m.At(i, j)))
			if weights != nil {
				x = float64(x * weights[at])
			}
			sum += float64(x)
		}
	})
	return sum / p.total(whole)
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

// foldErrors returns the mean of the errors of all folds, and its standard error.
func foldErrors(folds []float64) *FoldErrors {
	n := float64(len(folds))
	var sum, squares float64
	for _, e := range folds {
		sum += e
	}
	mean := sum / n
	for _, e := range folds {
		squares += float64((e - mean) * (e - mean))
	}
	return &FoldErrors{Mean: mean, StandardError: math.Sqrt(squares / (n - 1) / n), Folds: folds}
}
