package sparse

import (
	"math"

	"nmu/lnmu/internal/matrix"
)

// Penalise implements core.Penalised.
func (s *solver[T]) Penalise(v, w float64) {
	ofV, ofW := s.factors()
	ofV.penalty, ofW.penalty = T(v/2), T(w/2)
}

// ClearLost implements core.Penalised.
func (s *solver[T]) ClearLost() {
	for k := range s.rank {
		if s.long.gram.Row(k)[k] > 0 && s.short.gram.Row(k)[k] > 0 {
			continue
		}
		for _, f := range []*factor[T]{&s.long, &s.short} {
			for i := range f.h.Rows {
				f.h.Row(i)[k] = 0
			}
		}
	}
}

// Zeros implements core.Adaptive.
func (s *solver[T]) Zeros() (v, w float64) {
	ofV, ofW := s.factors()
	return ofV.zeros(), ofW.zeros()
}

// zeros returns the proportion of entries that are negligible in their vector.
func (f *factor[T]) zeros() float64 {
	most := make([]T, f.h.Cols)
	for i := range f.h.Rows {
		for k, x := range f.h.Row(i) {
			most[k] = max(most[k], x)
		}
	}
	count := 0
	for i := range f.h.Rows {
		for k, x := range f.h.Row(i) {
			if !(most[k] > 0) || x < T(matrix.Negligible)*most[k] {
				count++
			}
		}
	}
	return float64(count) / (float64(f.h.Rows) * float64(f.h.Cols))
}

// Shift implements core.Adaptive.
func (s *solver[T]) Shift(c float64) {
	v, w := s.factors()
	v.shift(T(c))
	w.shift(T(1 / c))
}

// shift multiplies a factor by a power of two, with all that was formed of it.
func (f *factor[T]) shift(c T) {
	for _, x := range []struct {
		data []T
		by   T
	}{{f.h.Data, c}, {f.sum, c}, {f.gram.Data, c * c}, {f.inv, 1 / (c * c)}} {
		for i := range x.data {
			x.data[i] *= x.by
		}
	}
}

// Revive implements core.Adaptive.
func (s *solver[T]) Revive(random func() float64) int {
	var lost []int
	for k := range s.rank {
		if !(s.long.gram.Row(k)[k] > 0 && s.short.gram.Row(k)[k] > 0) {
			lost = append(lost, k)
		}
	}
	if lost == nil {
		return 0
	}
	v, w := s.factors()
	for _, f := range []*factor[T]{v, w} {
		var squares float64
		for k := range s.rank {
			squares += float64(f.gram.Row(k)[k])
		}
		most := math.Sqrt(3 * squares / float64(s.rank) / float64(f.h.Rows)) // of a uniform variable whose mean square this is
		for _, k := range lost {
			for i := range f.h.Rows {
				f.h.Row(i)[k] = T(most * random())
			}
		}
	}
	s.formGrams()
	return len(lost)
}
