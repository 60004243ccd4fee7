package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Penalise sets the penalties of the next step.
func (s *solver[T]) Penalise(v, w float64) {
	if !s.tall {
		v, w = w, v
	}
	s.penaltyLong, s.penaltyShort = T(v/2), T(w/2)
}

// Balance implements core.Penalised.
func (s *solver[T]) Balance(v, w float64) {
	if !s.tall {
		v, w = w, v
	}
	room := s.roomFor(1)
	for k := range s.rank {
		long := total(s.gather(s.long.Slice(k, k+1, 0, s.rows), room).Row(0))
		if s.heldLong.Has(k) || s.heldShort.Has(k) {
			continue
		}
		if c := core.Evener(w/v, total(s.short.Row(k))/long); c != 1 {
			scale(s.long.Row(k), T(c))
			scale(s.short.Row(k), T(1/c))
		}
	}
}

// total returns the sum of the entries of x.
func total[T kernel.Float](x []T) (sum float64) {
	for _, a := range x {
		sum += float64(a)
	}
	return sum
}

// scale multiplies the entries of x by c.
func scale[T kernel.Float](x []T, c T) {
	for i := range x {
		x[i] *= c
	}
}

// Shift multiplies V by a power of two and W by its reciprocal, and scales all sums to match.
func (s *solver[T]) Shift(c float64) {
	h, g := T(c), T(1/c)
	if !s.tall {
		h, g = g, h
	}
	for _, x := range []struct {
		data []T
		by   T
	}{
		{s.long.Data, h}, {s.short.Data, g}, {s.c.Data, h},
		{s.d.Data, h * h}, {s.invD, 1 / (h * h)}, {s.b.Data, g * g}, {s.invB, 1 / (g * g)},
	} {
		for i := range x.data {
			x.data[i] *= x.by
		}
	}
}

// peaks returns the largest entries of the rows of both factors over all processes. The next call
// overwrites them.
func (s *solver[T]) peaks() (long, short []T) {
	if s.largest[0] == nil {
		s.largest = [2][]T{make([]T, s.rank), make([]T, s.rank)}
	}
	long, short = s.largest[0], s.largest[1]
	for k := range s.rank {
		long[k], short[k] = kernel.Max(s.long.Row(k)), kernel.Max(s.short.Row(k))
	}
	group.Max(s.share, long)
	return long, short
}

// Revive draws every factor anew whose column of V or row of W has vanished, and returns the
// number of these factors. Both sides become uniform random vectors, as at the start, whose mean
// square is that of V or W.
func (s *solver[T]) Revive(random func() float64) int {
	long, short := s.peaks()
	var lost []int
	for k := range s.rank {
		if !(long[k] > 0 && short[k] > 0) {
			lost = append(lost, k)
		}
	}
	if lost == nil {
		return 0
	}
	s.redraw(lost, s.tall, random) // V comes first
	s.redraw(lost, !s.tall, random)
	s.Begin()
	return len(lost)
}

// redraw draws rows of the long factor, or of the short one. Each process draws the
// numbers of all.
func (s *solver[T]) redraw(lost []int, long bool, random func() float64) {
	x, first, cols, room := s.short, 0, s.cols, kernel.Matrix[T]{}
	if long {
		x, first, cols, room = s.long, s.first, s.whole, s.roomFor(1)
	}
	var squares float64
	for k := range s.rank {
		row := x.Slice(k, k+1, 0, x.Cols)
		if long {
			row = s.gather(row, room)
		}
		squares += float64(kernel.SumSquares(row.Row(0)))
	}
	most := math.Sqrt(3 * squares / float64(s.rank) / float64(cols)) // of a uniform variable whose mean square this is
	for _, k := range lost {
		row := x.Row(k)
		for j := range cols {
			if y := T(most * random()); first <= j && j < first+len(row) {
				row[j-first] = y
			}
		}
	}
}

// ClearLost clears every factor whose column of V or row of W has vanished. Its other side adds
// nothing to V W but to the penalty.
func (s *solver[T]) ClearLost() {
	long, short := s.peaks()
	for k := range s.rank {
		if !(long[k] > 0 && short[k] > 0) {
			clear(s.long.Row(k))
			clear(s.short.Row(k))
		}
	}
}

// Zeros returns s(V) and s(W), the proportions of entries that are negligible in their row.
func (s *solver[T]) Zeros() (v, w float64) {
	ofLong, ofShort := s.peaks()
	if s.count == nil {
		s.count = make([]int, 1)
	}
	s.count[0] = negligible(s.long, ofLong)
	long := float64(group.Count(s.one, s.count)) / (float64(s.rank) * float64(s.whole))
	short := float64(negligible(s.short, ofShort)) / (float64(s.rank) * float64(s.cols))
	if s.tall {
		return long, short
	}
	return short, long
}

// negligible returns how many entries of x are negligible, given the largest one of each
// row.
func negligible[T kernel.Float](x kernel.Matrix[T], largest []T) int {
	count := 0
	for k, most := range largest {
		if row := x.Row(k); most > 0 {
			count += kernel.CountLess(row, matrix.LeastOf(most))
		} else {
			count += len(row)
		}
	}
	return count
}

// keepSupports restricts the following sweeps to the entries that are positive now.
func (s *solver[T]) keepSupports() {
	support := func(x kernel.Matrix[T]) kernel.Matrix[T] {
		mask := kernel.NewMatrix[T](x.Rows, x.Cols)
		for k := range x.Rows {
			row := mask.Row(k)
			for j, a := range x.Row(k) {
				if a > 0 {
					row[j] = 1
				}
			}
		}
		return mask
	}
	s.maskLong, s.maskShort = support(s.long), support(s.short)
}
