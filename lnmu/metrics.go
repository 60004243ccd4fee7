package lnmu

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Negligible is the part of the largest entry of its column of V, or row of W,
// below which an entry counts as zero (section 4.4: "less than 0.1% of the
// largest entry in its column").
const Negligible = matrix.Negligible

// Sparsity measures the columns of V or the rows of W after rounding by the
// 0.1 % rule.
type Sparsity struct {
	Zeros float64 // s(·): the proportion of zeros (section 2.2)
	Hoyer float64 // sh(·): Hoyer's measure, mean over the nonzero vectors (section 4.1); 0 if all are zero
}

// BasisSparsity measures the columns of V.
func BasisSparsity[T Float](v Dense[T]) Sparsity { return sparsity(Transposed(v)) }

// WeightSparsity measures the rows of W.
func WeightSparsity[T Float](w Dense[T]) Sparsity { return sparsity(w) }

func sparsity[T Float](d Dense[T]) Sparsity { return sparsityOf(group.Self{}, d, d.Cols) }

// sparsityOf is sparsity of rows of so many entries, of which each process has those of d.
func sparsityOf[T Float](all Processes, d Dense[T], length int) Sparsity {
	most, counts := make([]T, d.Rows), make([]tally, d.Rows)
	group.Ring(all, group.Memory(most), func() {
		for i := range most {
			most[i] = max(most[i], kernel.Max(d.Row(i)))
		}
	})
	group.Ring(all, group.Memory(counts), func() {
		for i := range counts {
			tallyRow(&counts[i], d.Row(i), most[i])
		}
	})
	var zeros, nonzero int
	var hoyer float64
	for i, c := range counts {
		if zeros += c.zeros; !(most[i] > 0) {
			continue
		}
		nonzero++
		if root := math.Sqrt(float64(length)); length > 1 {
			hoyer += (root - c.sum/math.Sqrt(c.squares)) / (root - 1)
		}
	}
	s := Sparsity{Zeros: float64(zeros) / (float64(d.Rows) * float64(length))}
	if nonzero > 0 {
		s.Hoyer = hoyer / float64(nonzero)
	}
	return s
}

// tally is what was counted of a vector so far.
type tally struct {
	zeros        int
	sum, squares float64 // of the others, times one power of two
}

// tallyRow adds entries of a vector whose largest one is known.
func tallyRow[T Float](c *tally, row []T, most T) {
	if !(most > 0) {
		c.zeros += len(row)
		return
	}
	c.zeros += kernel.CountLess(row, T(Negligible)*most)
	// Far from 1, powers of two keep the squares within the range of float64.
	scale := 1.0
	if _, e := math.Frexp(float64(most)); e < -400 || e > 400 {
		scale = math.Ldexp(1, min(-e, 1000))
	}
	for _, x := range row {
		if x >= T(Negligible)*most {
			x := float64(x) * scale
			c.sum += x
			c.squares += float64(x * x)
		}
	}
}

// RoundBasis sets the negligible entries of V to zero, in place.
func RoundBasis[T Float](v Dense[T]) { roundBasis(v, group.Self{}) }

// roundBasis is RoundBasis for processes of which each has all of V, or its rows.
func roundBasis[T Float](v Dense[T], all group.Comm) {
	most := make([]T, v.Cols)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			most[k] = max(most[k], x)
		}
	}
	group.Max(all, most)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			if x < T(Negligible)*most[k] {
				v.Row(i)[k] = 0
			}
		}
	}
}

// RoundWeights sets the negligible entries of W to zero, in place.
func RoundWeights[T Float](w Dense[T]) { roundWeights(w, group.Self{}) }

// roundWeights is RoundWeights for processes of which each has all of W, or its columns.
func roundWeights[T Float](w Dense[T], all group.Comm) {
	most := make([]T, w.Rows)
	for k := range most {
		most[k] = kernel.Max(w.Row(k))
	}
	group.Max(all, most)
	for k := range most {
		for j, x := range w.Row(k) {
			if x < T(Negligible)*most[k] {
				w.Row(k)[j] = 0
			}
		}
	}
}
