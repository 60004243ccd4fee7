package lnmu

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Sparsity measures the columns of V or the rows of W after rounding by the 0.1 % rule: an
// entry counts as zero if it is "less than 0.1% of the largest entry in its column" of V, or
// row of W (section 4.4).
type Sparsity struct {
	Zeros float64 // s(·): the proportion of zeros (section 2.2)
	Hoyer float64 // sh(·): Hoyer's measure, mean over the nonzero vectors (section 4.1); 0 if all are zero
}

// RowSparsity measures the rows of a matrix: of W, or of the transpose of V.
func RowSparsity[T Float](x Dense[T]) Sparsity { return sparsityOf(group.Self{}, x, x.Cols) }

// sparsityOf is RowSparsity of rows of so many entries, of which each process has those of d.
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
	c.zeros += kernel.CountLess(row, T(matrix.Negligible)*most)
	// Far from 1, powers of two keep the squares within the range of float64.
	scale := 1.0
	if _, e := math.Frexp(float64(most)); e < -400 || e > 400 {
		scale = math.Ldexp(1, min(-e, 1000))
	}
	for _, x := range row {
		if x >= T(matrix.Negligible)*most {
			x := float64(x) * scale
			c.sum += x
			c.squares += float64(x * x)
		}
	}
}

// roundBasis sets the negligible entries of V to zero, in place. Each process has all of V, or
// its rows.
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
			if x < T(matrix.Negligible)*most[k] {
				v.Row(i)[k] = 0
			}
		}
	}
}

// roundWeights sets the negligible entries of W to zero, in place. Each process has all of W, or
// its columns.
func roundWeights[T Float](w Dense[T], all group.Comm) {
	most := make([]T, w.Rows)
	for k := range most {
		most[k] = kernel.Max(w.Row(k))
	}
	group.Max(all, most)
	for k := range most {
		for j, x := range w.Row(k) {
			if x < T(matrix.Negligible)*most[k] {
				w.Row(k)[j] = 0
			}
		}
	}
}
