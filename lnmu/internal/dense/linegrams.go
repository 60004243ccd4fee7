package dense

import (
	"math"
	"math/bits"

	"nmu/kernel"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// lineGrams is the workspace of one member of a team for the sweeps of rows, or
// columns, that have Gram matrices of their own.
type lineGrams[T kernel.Float] struct {
	places []int            // of the entries of a row that count
	chosen kernel.Matrix[T] // the vectors of the other factor there, side by side
	gram   kernel.Matrix[T]
	inv    []T
	before kernel.Matrix[T]
}

func newLineGrams[T kernel.Float](rank, most int) *lineGrams[T] {
	return &lineGrams[T]{
		places: make([]int, 0, most),
		chosen: kernel.NewMatrix[T](rank, most),
		gram:   kernel.NewMatrix[T](rank, rank), inv: make([]T, rank),
		before: kernel.NewMatrix[T](rank, 1),
	}
}

// line is what the Gram matrix of a row depends on.
type line[T kernel.Float] struct {
	other, whole kernel.Matrix[T] // the other factor, and its Gram matrix
	inv          []T              // of that
	seen         kernel.Bits      // what is observed, by rows; none if all is
	weight       func(i, j int) T // nil if all are equal
}

// of returns the Gram matrix of row i and its reciprocals.
func (g *lineGrams[T]) of(l line[T], i int) (kernel.Matrix[T], []T) {
	cols := l.other.Cols
	observed := cols
	if l.seen.Data != nil {
		observed = matrix.CountRow(l.seen, i)
	}
	switch {
	case l.weight != nil:
		g.gather(l, i, true)
	case observed == cols:
		return l.whole, l.inv
	case cols-observed < observed && g.without(l, i):
	default:
		g.gather(l, i, true)
	}
	kernel.Reciprocals(g.inv, g.gram)
	return g.gram, g.inv
}

// gather forms the Gram matrix of the vectors at the observed entries of row i, with
// their weights, or at the missing ones.
func (g *lineGrams[T]) gather(l line[T], i int, observed bool) {
	g.places = placesOf(g.places[:0], l.seen, l.other.Cols, i, observed)
	for k := range l.other.Rows {
		from, to := l.other.Row(k), g.chosen.Row(k)
		for at, j := range g.places {
			to[at] = from[j]
		}
	}
	chosen := matrix.View(g.chosen, 0, len(g.places))
	if l.weight != nil {
		for at, j := range g.places {
			root := T(math.Sqrt(float64(l.weight(i, j))))
			for k := range chosen.Rows {
				chosen.Row(k)[at] *= root
			}
		}
	}
	kernel.Gram(g.gram, chosen)
}

// placesOf appends the columns in which row i is observed, or those in which it is
// missing; without seen all are observed.
func placesOf(places []int, seen kernel.Bits, cols, i int, observed bool) []int {
	if seen.Data == nil {
		for j := range cols {
			places = append(places, j)
		}
		return places
	}
	row := seen.Data[i*seen.Stride:]
	for j := 0; j < cols; j += 8 {
		b := row[j/8]
		if !observed {
			b = ^b
		}
		for ; b != 0; b &= b - 1 {
			if at := j + bits.TrailingZeros8(b); at < cols {
				places = append(places, at)
			}
		}
	}
	return places
}

// leastLeft is the part of a diagonal entry of a Gram matrix that must be left when
// the missing columns are taken off it, lest what is left be rounding.
const leastLeft = 0x1p-6

// without sets the Gram matrix to that of all vectors less those at the missing
// entries, and reports whether it is well determined by that.
func (g *lineGrams[T]) without(l line[T], i int) bool {
	g.gather(l, i, false)
	for k := range l.whole.Rows {
		row, all := g.gram.Row(k), l.whole.Row(k)
		for m, x := range all {
			row[m] = x - row[m]
		}
		if row[k] < leastLeft*all[k] {
			return false
		}
	}
	return true
}

// sweep sweeps columns [i0, i0+h.Cols) of a factor, given their products a with N.
func (g *lineGrams[T]) sweep(w hals.Sweeps, l line[T], i0 int, h, a kernel.Matrix[T], penalty T, mask kernel.Matrix[T]) {
	for i := range h.Cols {
		b, inv := g.of(l, i0+i)
		hals.Sweep(w, g.before, matrix.View(h, i, i+1), matrix.View(a, i, i+1), b, inv, penalty, matrix.View(mask, i, i+1))
	}
}

// line returns what the Gram matrices of the long factor, or of the short one, depend
// on.
func (s *solver[T]) line(long bool) line[T] {
	if long {
		return s.observations.line(s.short, s.b, s.invB, true)
	}
	return s.observations.line(s.long, s.d, s.invD, false)
}

// line returns what the Gram matrices of the rows, or of the columns, depend on, given
// the other factor.
func (p observations[T]) line(other, whole kernel.Matrix[T], inv []T, rows bool) line[T] {
	l := line[T]{other: other, whole: whole, inv: inv, seen: p.mask.rows}
	if !rows {
		l.seen = p.mask.cols
	}
	switch {
	case p.weights.Data == nil:
	case rows:
		l.weight = p.weights.At
	default:
		l.weight = func(j, i int) T { return p.weights.At(i, j) }
	}
	return l
}

// weigh returns the sum of the squares of row i, which is x, with their weights, and
// multiplies x by these.
func (l line[T]) weigh(x []T, i int) float64 {
	if l.weight == nil {
		return float64(kernel.SumSquares(x))
	}
	var squares float64
	for j, a := range x {
		x[j] *= l.weight(i, j)
		squares += float64(float64(a) * float64(x[j]))
	}
	return squares
}

// sweepLong renews columns [i0, i1) of the long factor, given their products a with N.
func (s *solver[T]) sweepLong(member int, w hals.Sweeps, before kernel.Matrix[T], i0, i1 int, a kernel.Matrix[T]) {
	h, mask := matrix.View(s.long, i0, i1), matrix.View(s.maskLong, i0, i1)
	if s.lineGrams != nil {
		s.lineGrams[member].sweep(w, s.line(true), i0, h, a, s.penaltyLong, mask)
		return
	}
	hals.Sweep(w, matrix.View(before, 0, i1-i0), h, a, s.b, s.invB, s.penaltyLong, mask)
}

// sweepShortPanel renews columns [j0, j1) of the short factor.
func (s *solver[T]) sweepShortPanel(member int, w hals.Sweeps, before kernel.Matrix[T], j0, j1 int) {
	g, c, mask := matrix.View(s.short, j0, j1), matrix.View(s.c, j0, j1), matrix.View(s.maskShort, j0, j1)
	if s.lineGrams != nil {
		s.lineGrams[member].sweep(w, s.line(false), j0, g, c, s.penaltyShort, mask)
		return
	}
	hals.Sweep(w, matrix.View(before, 0, j1-j0), g, c, s.d, s.invD, s.penaltyShort, mask)
}
