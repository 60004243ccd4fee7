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

// Round returns V and W with zeros for the negligible entries. Each process has all of a factor, or its rows of V or its
// columns of W.
func Round[T kernel.Float](v, w kernel.Matrix[T], all group.Comm) (kernel.Matrix[T], kernel.Matrix[T]) {
	vt, w := v.Transposed(), matrix.Clone(w)
	for _, d := range [2]kernel.Matrix[T]{vt, w} {
		most := make([]T, d.Rows)
		for k := range most {
			most[k] = kernel.Max(d.Row(k))
		}
		group.Max(all, most)
		for k := range most {
			for j, x := range d.Row(k) {
				if x < matrix.LeastOf(most[k]) {
					d.Row(k)[j] = 0
				}
			}
		}
	}
	return vt.Transposed(), w
}
