package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// negateLong brings minusLong up to date.
func (s *solver[T]) negateLong() {
	for k := range s.rank {
		minus := s.minusLong.Row(k)
		for i, x := range s.long.Row(k) {
			minus[i] = -x
		}
	}
}

// Residual returns the sums and the least entry of E = M - V W, and leaves E in the
// place of M if told to.
func (s *solver[T]) Residual(_ int, inPlace bool) core.Residual {
	s.negateLong()
	use := block.Reads
	if inPlace {
		use = block.Updates
	}
	s.open(use, block.Untouched, false)
	s.Run(s.slabs, func(member, task int) {
		var sum core.Residual
		first, last := s.slab(task)
		for i := first; i < last && !s.lines.Aborted(); i += matrix.TileRows {
			end := min(i+matrix.TileRows, last)
			rows := s.rowsOfM(member, i, end)
			for j := 0; j < s.cols; j += matrix.TileCols {
				to := min(j+matrix.TileCols, s.cols)
				m := rows.Slice(0, end-i, j, to)
				e := m
				if !inPlace || s.l1 {
					e = s.product[member].Slice(0, end-i, 0, to-j)
					for k := range e.Rows {
						copy(e.Row(k), m.Row(k))
					}
				}
				kernel.AddProduct(e, matrix.View(s.minusLong, i, end), matrix.View(s.short, j, to))
				clearMissing(e, s.mask.rows, i, j)
				for k := range e.Rows {
					if s.l1 {
						sum.Absolute += settle(e.Row(k), m.Row(k), inPlace)
					}
					sum.Squares += s.squares(e.Row(k), i+k, j)
					if least := float64(kernel.Min(e.Row(k))); least < 0 {
						sum.Least = min(sum.Least, least)
						sum.Excess += s.excess(member, e.Slice(k, k+1, 0, e.Cols), i+k, j)
					}
				}
			}
		}
		s.extents[task] = sum
	})
	s.shut()
	if inPlace {
		s.lines.KeepResidual()
	}
	return group.Sum(s.share, s.extents, core.Residual.Plus)
}

// excess returns the sum of squares of the negative entries of e, at most matrix.TileCols
// in a row, which lie at row i and column j.
func (s *solver[T]) excess(member int, e kernel.Matrix[T], i, j int) float64 {
	x := matrix.View(s.negative[member], 0, e.Cols)
	kernel.Target(x, e, matrix.View(s.zeros, 0, e.Cols), 0, 1)
	return s.squares(x.Row(0), i, j)
}
