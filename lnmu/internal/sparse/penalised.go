package sparse

import (
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Penalise implements core.Penalised.
func (s *solver[T]) Penalise(v, w float64) {
	ofV, ofW := s.factors()
	ofV.penalty, ofW.penalty = T(v/2), T(w/2)
}

// Balance implements core.Penalised.
func (s *solver[T]) Balance(v, w float64) {
	s.formGrams()
	ofV, ofW := s.factors()
	for k := range s.rank {
		if ofV.held.Has(k) || ofW.held.Has(k) {
			continue
		}
		if c := core.Evener(w/v, float64(ofW.sum[k])/float64(ofV.sum[k])); c != 1 {
			ofV.scale(k, T(c))
			ofW.scale(k, T(1/c))
		}
	}
}

// scale multiplies vector k of a factor by c.
func (f *factor[T]) scale(k int, c T) {
	for i := range f.h.Rows {
		f.h.Row(i)[k] *= c
	}
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

// Zeros implements core.Penalised.
func (s *solver[T]) Zeros() (v, w float64) {
	long, short := s.long.zeros(s.Among()), s.short.zeros(group.Self{})
	if s.Wide {
		return short, long
	}
	return long, short
}

// Shift implements core.Penalised.
func (s *solver[T]) Shift(c float64) {
	v, w := s.factors()
	v.shift(T(c))
	w.shift(T(1 / c))
}

// Revive implements core.Penalised.
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
		whole, own := f.h.Rows, group.Span{To: f.h.Rows}
		if f == &s.long {
			whole, own = s.Whole.Rows, s.Spans()[s.Among().Rank()]
		}
		most := math.Sqrt(3 * squares / float64(s.rank) / float64(whole)) // of a uniform variable whose mean square this is
		for _, k := range lost {
			for i := range whole { // each process draws the numbers of all
				if x := T(most * random()); own.Has(i) {
					f.h.Row(i - own.From)[k] = x
				}
			}
		}
	}
	s.formGrams()
	return len(lost)
}
