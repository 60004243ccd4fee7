package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/qp"
)

// observed returns the workspace for column i: s itself, unless it is incomplete.
func (s *exactRow[T]) observed(of observed.Line[T], i int, tiny float64, over func() bool) *exactRow[T] {
	if of.Seen.Data == nil && !of.Weighted() {
		return s
	}
	take := observed.Places(nil, of.Seen, s.g.Cols, i, true)
	if len(take) == s.g.Cols && !of.Weighted() {
		return s
	}
	g := kernel.NewMatrix[T](s.g.Rows, len(take))
	for k := range g.Rows {
		for l, j := range take {
			g.Row(k)[l] = s.g.Row(k)[j]
		}
	}
	weighted := matrix.Widen(g)
	var root []float64
	if of.Weighted() {
		root = make([]float64, len(take))
		for l, j := range take {
			root[l] = math.Sqrt(float64(of.Weight(i, j)))
		}
		for k := range weighted.Rows {
			for l, w := range root {
				weighted.Row(k)[l] *= w
			}
		}
	}
	own := newExactRow(qp.NewConstraints(weighted, tiny), g, over)
	own.take, own.root = take, root
	return own
}
