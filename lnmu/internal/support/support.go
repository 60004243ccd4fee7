// Package support says which entries of a factor count as zero, by the 0.1 % rule of section
// 4.4: an entry of V below a thousandth of the largest entry in its column, or of W in its row.
// Each of several processes has some rows of V, or columns of W.
package support

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Sparsity returns the proportion of zeros in vectors of the given length, and the mean of
// Hoyer's measure over the vectors that are not zero. Row k of d has the entries of vector k
// that this process has.
func Sparsity[T kernel.Float](all group.Comm, d kernel.Matrix[T], length int) (zeros, hoyer float64) {
	most, counts := make([]T, d.Rows), make([]tally, d.Rows)
	for i := range most {
		most[i] = kernel.Max(d.Row(i))
	}
	group.Max(all, most)
	group.Ring(all, group.Memory(counts), func() {
		for i := range counts {
			tallyRow(&counts[i], d.Row(i), most[i])
		}
	})
	nonzero := 0
	for i, c := range counts {
		if zeros += float64(c.zeros); !(most[i] > 0) {
			continue
		}
		nonzero++
		if root := math.Sqrt(float64(length)); length > 1 {
			hoyer += (root - c.sum/math.Sqrt(c.squares)) / (root - 1)
		}
	}
	if nonzero > 0 {
		hoyer /= float64(nonzero)
	}
	return zeros / (float64(d.Rows) * float64(length)), hoyer
}

// tally has the counts of a vector so far.
type tally struct {
	zeros        int
	sum, squares float64 // of the others, times one power of two
}

// tallyRow adds entries of a vector whose largest one is known.
func tallyRow[T kernel.Float](c *tally, row []T, most T) {
	if !(most > 0) {
		c.zeros += len(row)
		return
	}
	c.zeros += kernel.CountLess(row, matrix.LeastOf(most))
	// Far from 1, powers of two keep the squares within the range of float64.
	scale := 1.0
	if _, e := math.Frexp(float64(most)); e < -400 || e > 400 {
		scale = math.Ldexp(1, min(-e, 1000))
	}
	for _, x := range row {
		if x >= matrix.LeastOf(most) {
			x := float64(x) * scale
			c.sum += x
			c.squares += float64(x * x)
		}
	}
}

// RoundBasis sets the negligible entries of V to zero, in place. Each process has all of V, or
// its rows.
func RoundBasis[T kernel.Float](v kernel.Matrix[T], all group.Comm) {
	most := make([]T, v.Cols)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			most[k] = max(most[k], x)
		}
	}
	group.Max(all, most)
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			if x < matrix.LeastOf(most[k]) {
				v.Row(i)[k] = 0
			}
		}
	}
}

// RoundWeights sets the negligible entries of W to zero, in place. Each process has all of W, or
// its columns.
func RoundWeights[T kernel.Float](w kernel.Matrix[T], all group.Comm) {
	most := make([]T, w.Rows)
	for k := range most {
		most[k] = kernel.Max(w.Row(k))
	}
	group.Max(all, most)
	for k := range most {
		for j, x := range w.Row(k) {
			if x < matrix.LeastOf(most[k]) {
				w.Row(k)[j] = 0
			}
		}
	}
}
