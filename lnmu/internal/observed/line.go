package observed

import (
	"math/bits"

	"nmu/kernel"
)

// Line is what the Gram matrix of a line depends on: a row of M, or a column.
type Line[T kernel.Float] struct {
	Other, Whole kernel.Matrix[T] // the other factor, and its Gram matrix
	Inv          []T              // of that and the l2 penalty, from hals.Reciprocals
	Mask         kernel.Bits      // the observed entries of the lines; without Data all are

	by     *weights[T] // nil: equal ones
	across bool        // the lines are those across the lines of the weights
}

// Line returns the data for the Gram matrices of the lines of a pass or, if across is true, of
// the lines across them. whole is the Gram matrix of the other factor.
func (c Cells[T]) Line(other, whole kernel.Matrix[T], inv []T, across bool) Line[T] {
	l := Line[T]{Other: other, Whole: whole, Inv: inv, Mask: c.Rows, by: c.by, across: across}
	if across {
		l.Mask = c.Cols
	}
	return l
}

// Weighted reports whether entries have weights.
func (l Line[T]) Weighted() bool { return l.by != nil }

// Weight returns the weight of entry j of line i.
func (l Line[T]) Weight(i, j int) T {
	if l.across {
		i, j = j, i
	}
	return l.by.at(i, j)
}

// Weigh returns the sum of the squares of line i, which is x, with their weights, and
// multiplies x by these.
func (l Line[T]) Weigh(x []T, i int) float64 {
	if !l.Weighted() {
		return float64(kernel.SumSquares(x))
	}
	var squares float64
	for j, a := range x {
		x[j] *= l.Weight(i, j)
		squares += float64(float64(a) * float64(x[j]))
	}
	return squares
}

// Positions appends the columns in which row i is observed, or those in which it is
// missing; without a mask all are observed.
func Positions(positions []int, mask kernel.Bits, cols, i int, observed bool) []int {
	if mask.Data == nil {
		for j := range cols {
			positions = append(positions, j)
		}
		return positions
	}
	row := mask.Data[i*mask.Stride:]
	for j := 0; j < cols; j += 8 {
		b := row[j/8]
		if !observed {
			b = ^b
		}
		for ; b != 0; b &= b - 1 {
			if at := j + bits.TrailingZeros8(b); at < cols {
				positions = append(positions, at)
			}
		}
	}
	return positions
}
