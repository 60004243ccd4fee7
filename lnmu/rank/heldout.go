package rank

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu"
)

// squares returns the sums of squares of M - V W at the entries that a fold of p holds
// out, or with fold < 0 at all that are observed, with the first r columns of V and
// rows of W, for each r of the ranks, which increase up to at most V.Cols. It takes
// O(mnr) operations and allocates O(n).
func squares[T lnmu.Float](p *partition, m, v, w lnmu.Dense[T], ranks []int, fold int) []float64 {
	sums := make([]float64, len(ranks))
	left := make([]T, m.Cols)
	places := make([]int, 0, m.Cols)
	for i := range m.Rows {
		places = p.places(places[:0], i, fold)
		copy(left, m.Row(i))
		for k, x := 0, 0; x < len(ranks); k++ {
			kernel.AddScaled(left, -v.At(i, k), w.Row(k))
			for x < len(ranks) && ranks[x] == k+1 {
				for _, j := range places {
					sums[x] += float64(float64(left[j]) * float64(left[j]))
				}
				x++
			}
		}
	}
	return sums
}

// places appends the columns of row i that a fold holds out, or with fold < 0 those
// that are observed.
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
	var sum float64
	places := make([]int, 0, m.Cols)
	for i := range m.Rows {
		places = p.places(places[:0], i, -1)
		for _, j := range places {
			x := float64(m.At(i, j))
			sum += float64(x * x)
		}
	}
	return sum / float64(p.observed)
}

// relative returns the root of the mean of some squares, in parts of that of M; 0 if
// both are 0.
func relative(squares float64, entries int, ofM float64) float64 {
	if squares == 0 {
		return 0
	}
	return math.Sqrt(squares / float64(entries) / ofM)
}

// heldOut returns what the errors of all folds say together.
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
