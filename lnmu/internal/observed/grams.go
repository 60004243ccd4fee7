package observed

import (
	"math"
	"math/bits"

	"nmu/kernel"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// Grams is the workspace of one member of a team for the sweeps of rows, or
// columns, that have Gram matrices of their own.
type Grams[T kernel.Float] struct {
	positions []int            // of the entries of a row that count
	chosen    kernel.Matrix[T] // the vectors of the other factor there, side by side
	gram      kernel.Matrix[T]
	inv       []T
	before    kernel.Matrix[T]
}

// NewGrams returns the workspace for factors of that rank, and lines of up to most entries.
func NewGrams[T kernel.Float](rank, most int) *Grams[T] {
	return &Grams[T]{
		positions: make([]int, 0, most),
		chosen:    kernel.NewMatrix[T](rank, most),
		gram:      kernel.NewMatrix[T](rank, rank), inv: make([]T, rank),
		before: kernel.NewMatrix[T](rank, 1),
	}
}

// Line is what the Gram matrix of a line depends on: a row of M, or a column.
type Line[T kernel.Float] struct {
	Other, Whole kernel.Matrix[T] // the other factor, and its Gram matrix
	Inv          []T              // of that and the l2 penalty, from hals.Reciprocals
	Seen         kernel.Bits      // the observed entries of the lines; without Data all are

	by     *weights[T] // nil: equal ones
	across bool        // the lines are those across the lines of the weights
}

// Line returns the data for the Gram matrices of the lines of a pass or, if across is true, of
// the lines across them. whole is the Gram matrix of the other factor.
func (c Cells[T]) Line(other, whole kernel.Matrix[T], inv []T, across bool) Line[T] {
	l := Line[T]{Other: other, Whole: whole, Inv: inv, Seen: c.Rows, by: c.by, across: across}
	if across {
		l.Seen = c.Cols
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

// Of returns the Gram matrix of row i and its reciprocals, for the l2 penalty ridge of l.Inv.
func (g *Grams[T]) Of(l Line[T], i int, ridge T) (kernel.Matrix[T], []T) {
	cols := l.Other.Cols
	observed := cols
	if l.Seen.Data != nil {
		observed = matrix.CountRow(l.Seen, i)
	}
	switch {
	case l.Weighted():
		g.gather(l, i, true)
	case observed == cols:
		return l.Whole, l.Inv
	case cols-observed < observed && g.without(l, i):
	default:
		g.gather(l, i, true)
	}
	hals.Reciprocals(g.inv, g.gram, ridge)
	return g.gram, g.inv
}

// gather forms the Gram matrix of the vectors at the observed entries of row i, with
// their weights, or at the missing ones.
func (g *Grams[T]) gather(l Line[T], i int, observed bool) {
	g.positions = Positions(g.positions[:0], l.Seen, l.Other.Cols, i, observed)
	for k := range l.Other.Rows {
		from, to := l.Other.Row(k), g.chosen.Row(k)
		for at, j := range g.positions {
			to[at] = from[j]
		}
	}
	chosen := matrix.View(g.chosen, 0, len(g.positions))
	if l.Weighted() {
		for at, j := range g.positions {
			root := T(math.Sqrt(float64(l.Weight(i, j))))
			for k := range chosen.Rows {
				chosen.Row(k)[at] *= root
			}
		}
	}
	kernel.Gram(g.gram, chosen)
}

// Positions appends the columns in which row i is observed, or those in which it is
// missing; without seen all are observed.
func Positions(positions []int, seen kernel.Bits, cols, i int, observed bool) []int {
	if seen.Data == nil {
		for j := range cols {
			positions = append(positions, j)
		}
		return positions
	}
	row := seen.Data[i*seen.Stride:]
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

// leastLeft is the least fraction of a diagonal entry of a Gram matrix that must remain after
// the vectors at the missing entries are subtracted. Less may be rounding error.
const leastLeft = 0x1p-6

// without subtracts the Gram matrix of the vectors at the missing entries from that of all
// vectors, and reports whether the result is accurate.
func (g *Grams[T]) without(l Line[T], i int) bool {
	g.gather(l, i, false)
	for k := range l.Whole.Rows {
		row, all := g.gram.Row(k), l.Whole.Row(k)
		for m, x := range all {
			row[m] = x - row[m]
		}
		if row[k] < leastLeft*all[k] {
			return false
		}
	}
	return true
}

// Sweep sweeps columns [i0, i0+h.Cols) of f, which are h, given their products a with N and their mask.
func (g *Grams[T]) Sweep(member int, f *hals.Side[T], l Line[T], i0 int, h, a, mask kernel.Matrix[T]) {
	for i := range h.Cols {
		b, inv := g.Of(l, i0+i, f.Ridge)
		f.SweepBy(member, g.before, matrix.View(h, i, i+1), matrix.View(a, i, i+1), b, inv, matrix.View(mask, i, i+1))
	}
}
