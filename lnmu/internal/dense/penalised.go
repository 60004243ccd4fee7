package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
)

// Balance implements core.Penalised.
func (s *solver[T]) Balance(v, w core.Penalty) { s.balance(v, w, hals.UnevenPenalties) }

// balance is Balance with the largest ratio that stays.
func (s *solver[T]) balance(v, w core.Penalty, uneven float64) {
	if !s.tall {
		v, w = w, v
	}
	room := s.roomFor(1)
	hals.Balance(&s.long, &s.short, v, w, uneven, func(k int) (long, short hals.Sizes) {
		return sizesOf(s.gather(s.long.X.Slice(k, k+1, 0, s.rows), room).Row(0)), sizesOf(s.short.X.Row(k))
	}, nil)
}

// sizesOf returns the sizes of x.
func sizesOf[T kernel.Float](x []T) (of hals.Sizes) {
	for _, a := range x {
		of.Sum += float64(a)
		of.Squares += float64(float64(a) * float64(a))
	}
	return of
}

// Shift multiplies V by a power of two and W by its reciprocal, and scales all sums to match.
func (s *solver[T]) Shift(c float64) {
	s.Sides.Shift(c)
	if !s.tall {
		c = 1 / c
	}
	kernel.Scale(s.c.Data, T(c))
}

// lost returns the factors whose column of V or row of W has vanished.
func (s *solver[T]) lost() (lost []int) {
	long, short := s.long.Peaks(), s.short.Peaks()
	for k := range s.rank {
		if !(long[k] > 0 && short[k] > 0) {
			lost = append(lost, k)
		}
	}
	return lost
}

// Revive draws every factor anew whose column of V or row of W has vanished, and returns the
// number of these factors. Both sides become uniform random vectors, as at the start, whose mean
// square is that of V or W.
func (s *solver[T]) Revive(random func() float64) int {
	lost := s.lost()
	if lost == nil {
		return 0
	}
	for _, f := range []*hals.Side[T]{s.V, s.W} {
		var room kernel.Matrix[T]
		if f == &s.long {
			room = s.roomFor(1)
		}
		var squares float64
		for k := range s.rank {
			row := f.X.Slice(k, k+1, 0, f.X.Cols)
			if f == &s.long {
				row = s.gather(row, room)
			}
			squares += float64(kernel.SumSquares(row.Row(0)))
		}
		f.Redraw(lost, squares, random)
	}
	s.Begin()
	return len(lost)
}

// ClearLost clears every factor whose column of V or row of W has vanished. Its other side adds
// nothing to V W but to the penalty.
func (s *solver[T]) ClearLost() { s.Vanish(s.lost()) }
