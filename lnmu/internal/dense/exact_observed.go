package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// observed returns the workspace for column i: s itself, unless it is incomplete.
func (s *exactRow[T]) observed(of line[T], i int, tiny float64, over func() bool) *exactRow[T] {
	if of.seen.Data == nil && of.weight == nil {
		return s
	}
	take := placesOf(nil, of.seen, s.g.Cols, i, true)
	if len(take) == s.g.Cols && of.weight == nil {
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
	if of.weight != nil {
		root = make([]float64, len(take))
		for l, j := range take {
			root[l] = math.Sqrt(float64(of.weight(i, j)))
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
