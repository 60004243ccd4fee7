package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// grams is the workspace of one member of a team for the sweeps of rows, or
// columns, that have Gram matrices of their own.
type grams[T kernel.Float] struct {
	positions []int            // of the entries of a row that count
	chosen    kernel.Matrix[T] // the vectors of the other factor there, side by side
	gram      kernel.Matrix[T]
	inv       []T
	before    kernel.Matrix[T]
}

// newGrams returns the workspace for factors of that rank, and lines of up to most entries.
func newGrams[T kernel.Float](a *arena.Arena, rank, most int) *grams[T] {
	return &grams[T]{
		positions: arena.Slice[int](a, most)[:0],
		chosen:    arena.Matrix[T](a, rank, most),
		gram:      arena.Matrix[T](a, rank, rank), inv: make([]T, rank),
		before: arena.Matrix[T](a, rank, 1),
	}
}

// of returns the Gram matrix of row i and its reciprocals, for the l2 penalty ridge of l.Inv.
func (g *grams[T]) of(l observed.Line[T], i int, ridge T) (kernel.Matrix[T], []T) {
	cols := l.Other.Cols
	count := cols
	if l.Mask.Data != nil {
		count = matrix.CountRow(l.Mask, i)
	}
	switch {
	case l.Weighted():
		g.gather(l, i, false)
	case count == cols:
		return l.Whole, l.Inv
	case cols-count < count && g.without(l, i):
	default:
		g.gather(l, i, false)
	}
	hals.Reciprocals(g.inv, g.gram, ridge)
	return g.gram, g.inv
}

// gather forms the Gram matrix of the vectors at the observed entries of row i, with
// their weights, or at the missing ones if missing is true.
func (g *grams[T]) gather(l observed.Line[T], i int, missing bool) {
	g.positions = observed.Positions(g.positions[:0], l.Mask, l.Other.Cols, i, !missing)
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

// leastLeft is the least fraction of a diagonal entry of a Gram matrix that must remain after
// the vectors at the missing entries are subtracted. Less may be rounding error.
const leastLeft = 0x1p-6

// without subtracts the Gram matrix of the vectors at the missing entries from that of all
// vectors, and reports whether the result is accurate.
func (g *grams[T]) without(l observed.Line[T], i int) bool {
	g.gather(l, i, true)
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

// sweep sweeps columns [i0, i0+h.Cols) of f, which are h, given their products a with N and their mask.
func (g *grams[T]) sweep(member int, f *hals.Side[T], l observed.Line[T], i0 int, h, a, mask kernel.Matrix[T]) {
	for i := range h.Cols {
		b, inv := g.of(l, i0+i, f.Ridge)
		f.SweepBy(member, g.before, matrix.View(h, i, i+1), matrix.View(a, i, i+1), b, inv, matrix.View(mask, i, i+1))
	}
}
