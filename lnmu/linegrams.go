package lnmu

import (
	"math"

	"nmu/kernel"
)

// lineGrams is the workspace of one member of a team for the sweeps of rows, or
// columns, that have Gram matrices of their own.
type lineGrams[T Float] struct {
	chosen kernel.Matrix[T] // vectors of the other factor, side by side
	gram   kernel.Matrix[T]
	inv    []T
	before kernel.Matrix[T]
}

func newLineGrams[T Float](rank, most int) *lineGrams[T] {
	return &lineGrams[T]{
		chosen: kernel.NewMatrix[T](rank, most),
		gram:   kernel.NewMatrix[T](rank, rank), inv: make([]T, rank),
		before: kernel.NewMatrix[T](rank, 1),
	}
}

// line is what the Gram matrix of a row depends on.
type line[T Float] struct {
	other, whole kernel.Matrix[T] // the other factor, and its Gram matrix
	inv          []T              // of that
	seen         kernel.Bits      // what is observed, by rows; or weights
	weight       func(i, j int) T // nil without
}

// of returns the Gram matrix of row i and its reciprocals.
func (g *lineGrams[T]) of(l line[T], i int) (kernel.Matrix[T], []T) {
	if l.weight != nil {
		g.gather(l.other, func(j int) T { return l.weight(i, j) })
		kernel.Reciprocals(g.inv, g.gram)
		return g.gram, g.inv
	}
	observed := observedIn(l.seen, i)
	missing := l.seen.Cols - observed
	if missing == 0 {
		return l.whole, l.inv
	}
	if missing < observed {
		g.pick(l, i, false)
		if g.takeFrom(l.whole) {
			kernel.Reciprocals(g.inv, g.gram)
			return g.gram, g.inv
		}
	}
	g.pick(l, i, true)
	kernel.Reciprocals(g.inv, g.gram)
	return g.gram, g.inv
}

// pick forms the Gram matrix of the observed columns, or of the missing ones.
func (g *lineGrams[T]) pick(l line[T], i int, observed bool) {
	g.gather(l.other, func(j int) T {
		if l.seen.At(i, j) == observed {
			return 1
		}
		return 0
	})
}

// gather forms the Gram matrix of the columns of x, each with its weight.
func (g *lineGrams[T]) gather(x kernel.Matrix[T], weight func(j int) T) {
	count := 0
	for j := range x.Cols {
		w := weight(j)
		if w == 0 {
			continue
		}
		if w != 1 {
			w = T(math.Sqrt(float64(w)))
		}
		for k := range x.Rows {
			g.chosen.Row(k)[count] = w * x.Row(k)[j]
		}
		count++
	}
	kernel.Gram(g.gram, g.chosen.Slice(0, x.Rows, 0, count))
}

// leastLeft is the part of a diagonal entry of a Gram matrix that must be left when
// the missing columns are taken off it, lest what is left be rounding.
const leastLeft = 0x1p-6

// takeFrom sets the Gram matrix to what it leaves of another, and reports whether
// that is well determined.
func (g *lineGrams[T]) takeFrom(whole kernel.Matrix[T]) bool {
	for k := range whole.Rows {
		row := g.gram.Row(k)
		for l, x := range whole.Row(k) {
			row[l] = x - row[l]
		}
		if row[k] < leastLeft*whole.Row(k)[k] {
			return false
		}
	}
	return true
}

// sweep sweeps columns [i0, i0+h.Cols) of a factor, given their products a with N.
func (g *lineGrams[T]) sweep(w sweeping, l line[T], i0 int, h, a kernel.Matrix[T], penalty T, mask kernel.Matrix[T]) {
	for i := range h.Cols {
		b, inv := g.of(l, i0+i)
		sweep(w, g.before, view(h, i, i+1), view(a, i, i+1), b, inv, penalty, view(mask, i, i+1))
	}
}

// line returns what the Gram matrices of the long factor, or of the short one, depend
// on.
func (s *solver[T]) line(long bool) line[T] {
	l := line[T]{other: s.short, whole: s.b, inv: s.invB, seen: s.sight.rows}
	if !long {
		l = line[T]{other: s.long, whole: s.d, inv: s.invD, seen: s.sight.cols}
	}
	if s.weights.Data != nil {
		l.weight = s.weights.At
		if !long {
			l.weight = func(j, i int) T { return s.weights.At(i, j) }
		}
	}
	return l
}

// sweepLong renews columns [i0, i1) of the long factor, given their products a with N.
func (s *solver[T]) sweepLong(member int, w sweeping, before kernel.Matrix[T], i0, i1 int, a kernel.Matrix[T]) {
	h, mask := view(s.long, i0, i1), view(s.maskLong, i0, i1)
	if s.lines != nil {
		s.lines[member].sweep(w, s.line(true), i0, h, a, s.penaltyLong, mask)
		return
	}
	sweep(w, view(before, 0, i1-i0), h, a, s.b, s.invB, s.penaltyLong, mask)
}

// sweepShortPanel renews columns [j0, j1) of the short factor.
func (s *solver[T]) sweepShortPanel(member int, w sweeping, before kernel.Matrix[T], j0, j1 int) {
	g, c, mask := view(s.short, j0, j1), view(s.c, j0, j1), view(s.maskShort, j0, j1)
	if s.lines != nil {
		s.lines[member].sweep(w, s.line(false), j0, g, c, s.penaltyShort, mask)
		return
	}
	sweep(w, view(before, 0, j1-j0), g, c, s.d, s.invD, s.penaltyShort, mask)
}
