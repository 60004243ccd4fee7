package agreement

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// Directions returns Vᵀ (r x m) with rows of length 1, except for zero rows.
func Directions[T kernel.Float](v kernel.Matrix[T]) kernel.Matrix[T] {
	d := v.Transposed()
	for k := range d.Rows {
		row := d.Row(k)
		most := kernel.Max(row)
		if !(most > 0) {
			continue
		}
		for i := range row {
			row[i] /= most // so that no square leaves the range of T
		}
		length := T(math.Sqrt(float64(kernel.SumSquares(row))))
		for i := range row {
			row[i] /= length
		}
	}
	return d
}

// Cosines returns the r x r matrix of the cosines between the rows of a and of b, all of length
// 1 or zero. The cosine is 1 between two zero rows, and 0 between a zero row and another one.
func Cosines[T kernel.Float](a, b kernel.Matrix[T]) kernel.Matrix[float64] {
	c := matrix.New[float64](a.Rows, b.Rows, nil)
	zero := func(d kernel.Matrix[T]) []bool {
		z := make([]bool, d.Rows)
		for k := range z {
			z[k] = !(kernel.Max(d.Row(k)) > 0)
		}
		return z
	}
	zeroA, zeroB := zero(a), zero(b)
	for k := range a.Rows {
		for l := range b.Rows {
			x := min(1, float64(kernel.Dot(a.Row(k), b.Row(l))))
			if zeroA[k] && zeroB[l] {
				x = 1
			}
			c.Row(k)[l] = x
		}
	}
	return c
}

// Likeness returns the similarity of the first r factors of two runs, each matched with
// another: the largest mean of r entries of the first r rows and columns of c, one in each row
// and each column.
func Likeness(c kernel.Matrix[float64], r int) float64 {
	var sum float64
	for k, l := range Assign(c, r) {
		sum += c.At(k, l)
	}
	return sum / float64(r)
}

// Assign returns, for each of the first r rows of c, the column that it is matched
// with, so that the sum of the entries is largest: the Hungarian method by shortest
// augmenting paths (R. Jonker and A. Volgenant, A shortest augmenting path algorithm
// for dense and sparse linear assignment problems, 1987), in O(r³).
func Assign(c kernel.Matrix[float64], r int) []int {
	// Row r and column r are the ends of paths: of[r] is the row that is being added.
	const none = -1
	of := make([]int, r+1) // row of each column
	for l := range of {
		of[l] = none
	}
	gain, price := make([]float64, r), make([]float64, r+1) // the dual variables
	least, from := make([]float64, r), make([]int, r)
	done := make([]bool, r+1)
	for k := range r {
		for l := range least {
			least[l], from[l] = math.Inf(1), r
		}
		clear(done)
		of[r] = k
		last := r
		for of[last] != none {
			done[last] = true
			row, step, next := of[last], math.Inf(1), none
			for l := range r {
				if done[l] {
					continue
				}
				if x := -c.At(row, l) - gain[row] - price[l]; x < least[l] {
					least[l], from[l] = x, last
				}
				if least[l] < step {
					step, next = least[l], l
				}
			}
			for l := range done {
				if done[l] {
					gain[of[l]] += step
					price[l] -= step
				} else {
					least[l] -= step
				}
			}
			last = next
		}
		for last != r {
			before := from[last]
			of[last] = of[before]
			last = before
		}
	}
	columns := make([]int, r)
	for l := range r {
		columns[of[l]] = l
	}
	return columns
}
