package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// Penalise sets the penalties of the next step.
func (s *solver[T]) Penalise(v, w float64) {
	if !s.tall {
		v, w = w, v
	}
	s.penaltyLong, s.penaltyShort = T(v/2), T(w/2)
}

// Shift multiplies V by a power of two and W by its reciprocal, with all that was formed
// of them.
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

// Revive re-initialises every factor of which one side has vanished, and returns
// their number: both sides become uniform random vectors, as at the start, as
// large as the others of their matrix are on average.
func (s *solver[T]) Revive(random func() float64) int {
	v, w := s.factorV(), s.factorW()
	var lost []int
	for k := range s.rank {
		if !(kernel.Max(v.Row(k)) > 0 && kernel.Max(w.Row(k)) > 0) {
			lost = append(lost, k)
		}
	}
	if lost == nil {
		return 0
	}
	for _, x := range []kernel.Matrix[T]{v, w} {
		var squares float64
		for k := range s.rank {
			squares += float64(kernel.SumSquares(x.Row(k)))
		}
		most := math.Sqrt(3 * squares / float64(s.rank) / float64(x.Cols)) // of a uniform variable whose mean square this is
		for _, k := range lost {
			for j := range x.Row(k) {
				x.Row(k)[j] = T(most * random())
			}
		}
	}
	s.Begin()
	return len(lost)
}

// ClearLost zeroes what is left of a factor whose other side has vanished: it
// adds nothing to V W but to the penalty.
func (s *solver[T]) ClearLost() {
	for k := range s.rank {
		if h, g := s.long.Row(k), s.short.Row(k); !(kernel.Max(h) > 0 && kernel.Max(g) > 0) {
			clear(h)
			clear(g)
		}
	}
}

// Zeros returns s(V) and s(W).
func (s *solver[T]) Zeros() (v, w float64) { return zeros(s.factorV()), zeros(s.factorW()) }

// zeros returns the proportion s(·) of entries of x that are negligible in their
// row.
func zeros[T kernel.Float](x kernel.Matrix[T]) float64 {
	count := 0
	for k := range x.Rows {
		row := x.Row(k)
		if most := kernel.Max(row); most > 0 {
			count += kernel.CountLess(row, T(matrix.Negligible)*most)
		} else {
			count += len(row)
		}
	}
	return float64(count) / (float64(x.Rows) * float64(x.Cols))
}

// keepSupports lets the following sweeps change only what is positive now.
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
