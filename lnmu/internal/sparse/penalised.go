package sparse

import (
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
)

// Penalise implements core.Penalised.
func (s *solver[T]) Penalise(v, w core.Penalty) {
	ofV, ofW := s.factors()
	ofV.Penalise(v)
	ofW.Penalise(w)
}

// Balance implements core.Penalised.
func (s *solver[T]) Balance(v, w core.Penalty) {
	s.formGrams()
	ofV, ofW := s.factors()
	hals.Balance(&ofV.Side, &ofW.Side, v, w, func(k int) (v, w hals.Sizes) { return ofV.sizes(k), ofW.sizes(k) })
}

// lost returns the factors whose column of V or row of W has vanished.
func (s *solver[T]) lost() (lost []int) {
	for k := range s.rank {
		if !(s.long.Gram.Row(k)[k] > 0 && s.short.Gram.Row(k)[k] > 0) {
			lost = append(lost, k)
		}
	}
	return lost
}

// ClearLost implements core.Penalised.
func (s *solver[T]) ClearLost() {
	for _, k := range s.lost() {
		s.long.Vanish(k)
		s.short.Vanish(k)
	}
}

// Zeros implements core.Penalised.
func (s *solver[T]) Zeros() (v, w float64) {
	ofV, ofW := s.factors()
	return ofV.Zeros(), ofW.Zeros()
}

// Shift implements core.Penalised.
func (s *solver[T]) Shift(c float64) {
	v, w := s.factors()
	v.Shift(T(c))
	w.Shift(T(1 / c))
}

// Revive implements core.Penalised.
func (s *solver[T]) Revive(random func() float64) int {
	lost := s.lost()
	if lost == nil {
		return 0
	}
	v, w := s.factors()
	for _, f := range []*factor[T]{v, w} {
		var squares float64
		for k := range s.rank {
			squares += float64(f.Gram.Row(k)[k])
		}
		f.Redraw(lost, squares, random)
	}
	s.formGrams()
	return len(lost)
}
