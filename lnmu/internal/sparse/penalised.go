package sparse

import (
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
)

// Balance implements core.Penalised.
func (s *solver[T]) Balance(v, w core.Penalty) { s.balance(v, w, hals.UnevenPenalties) }

// balance is Balance with the largest ratio that stays.
func (s *solver[T]) balance(v, w core.Penalty, uneven float64) {
	s.formGrams()
	hals.Balance(s.V, s.W, v, w, uneven, func(k int) (v, w hals.Sizes) { return sizesOf(s.V, k), sizesOf(s.W, k) }, nil)
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
	s.formGrams() // those of a run that was resumed and stopped at once are not known
	s.Vanish(s.lost())
}

// Revive implements core.Penalised.
func (s *solver[T]) Revive(random func() float64) int {
	lost := s.lost()
	if lost == nil {
		return 0
	}
	for _, f := range []*hals.Side[T]{s.V, s.W} {
		var squares float64
		for k := range s.rank {
			squares += float64(f.Gram.Row(k)[k])
		}
		f.Redraw(lost, squares, random)
	}
	s.formGrams()
	return len(lost)
}
