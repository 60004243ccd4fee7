package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// negateLong brings minusLong up to date.
func (s *solver[T]) negateLong() {
	matrix.CopyRows(s.minusLong, s.long.X)
	kernel.Scale(s.minusLong.Data, -1)
}

// Residual returns the sums and the least entry of E = M - V W. If inPlace, E replaces M.
func (s *solver[T]) Residual(_ int, inPlace bool) core.Residual {
	s.negateLong()
	use := block.Reads
	if inPlace {
		use = block.Updates
	}
	s.overSlabs(use, block.Untouched, false, func(member, task int) {
		var sum core.Residual
		first, last := s.slab(task)
		for i := first; i < last && !s.lines.Aborted(); i += matrix.TileRows {
			end := min(i+matrix.TileRows, last)
			rows, weights := s.rowsOfM(member, i, end), s.weightsOf(member, i, end)
			for j := 0; j < s.cols; j += matrix.TileCols {
				to := min(j+matrix.TileCols, s.cols)
				m := rows.Slice(0, end-i, j, to)
				e := m
				if !inPlace || s.medians != nil {
					e = s.product[member].Slice(0, end-i, 0, to-j)
					matrix.CopyRows(e, m)
				}
				kernel.AddProduct(e, matrix.View(s.minusLong, i, end), matrix.View(s.short.X, j, to))
				observed.Clear(e, s.cells.Rows, i, j)
				for k := range e.Rows {
					w := matrix.View(weights, j, to).Row(k)
					if s.medians != nil {
						sum.Absolute += settle(e.Row(k), m.Row(k), inPlace)
					}
					sum.Squares += observed.Squares(e.Row(k), w)
					if least := float64(kernel.Min(e.Row(k))); least < 0 {
						sum.Least = min(sum.Least, least)
						sum.Excess += s.excess(member, e.Slice(k, k+1, 0, e.Cols), w)
					}
				}
			}
		}
		s.extents[task] = sum
	})
	if inPlace {
		s.lines.KeepResidual()
	}
	return group.Sum(s.share, s.extents, core.Residual.Plus)
}

// excess returns the sum of squares of the negative entries of e, at most matrix.TileCols
// in a row, with their weights if there are any.
func (s *solver[T]) excess(member int, e kernel.Matrix[T], weights []T) float64 {
	x := matrix.View(s.negative[member], 0, e.Cols)
	kernel.Target(x, e, matrix.View(s.zeros, 0, e.Cols), 0, 1)
	return observed.Squares(x.Row(0), weights)
}
