package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
)

// pass makes one pass over N. It updates the multipliers at the given point, renews the long
// factor if renew, and forms C = H N and D = H Hᵀ from the new H and N. B = G Gᵀ must be current.
func (s *solver[T]) pass(when kernel.When, mu float64, renew bool) {
	s.when, s.mu, s.renew = when, T(mu), renew
	m, n := block.Untouched, block.Reads
	if when != kernel.Never {
		m, n = block.Reads, block.Updates
	}
	if s.rho != 0 {
		m = block.Reads
	}
	s.open(m, n, true)
	s.Run(len(s.sums.Tasks), s.passTask)
	switch {
	case s.rankOne:
		s.sums.AddProducts(0, s.cols)
		s.sums.AddGrams()
	case len(s.sums.Tasks) > 1:
		s.Run(s.panels+1, s.sumTask)
	}
	s.sums.AllReduce()
	s.long.Invert()
	s.shut()
}

// passRankR makes the pass over the slabs of one task, a block of rows at a time.
func (s *solver[T]) passRankR(member, task int) {
	s.sums.Fold(member, task, func(to *group.Part[T], slab int) {
		clear(to.Product.Data)
		first, last := s.slab(slab)
		i0 := first
		for ; i0 < last && !s.leftOut(); i0 += s.block {
			i1 := min(i0+s.block, last)
			h := s.columnsOfH(member, i0, i1)
			n := s.target(member, h, i0, i1, s.when == kernel.Before)
			if s.renew {
				a := matrix.View(s.a[member], 0, i1-i0)
				kernel.Contract(a, n, s.short.X)
				s.renewLong(member, i0, i1, h, a)
				if s.multiplies() {
					matrix.CopyRows(matrix.View(s.long.X, i0, i1), h)
				}
			}
			if s.when == kernel.After || s.retarget {
				n = s.target(member, h, i0, i1, s.when == kernel.After)
			}
			kernel.AccumulateAhead(to.Product, h, n, s.ahead(member, i0, i1, block.OfN), s.ahead(member, i0, i1, block.OfM))
		}
		if i0 < last && s.renew {
			s.skipLong(i0, last)
		}
		kernel.Gram(to.Gram, matrix.View(s.long.X, first, last))
	})
}

// multiplies reports whether a pass forms products of H and G.
func (s *solver[T]) multiplies() bool {
	return s.when != kernel.Never || s.rho != 0 || s.cells.Incomplete() && !s.cells.Exact
}

// columnsOfH returns the columns of H that belong to a block. If a pass forms products of them,
// columnsOfH returns a contiguous copy. The kernels for products read down the columns, and each
// row is on another page.
func (s *solver[T]) columnsOfH(member, i0, i1 int) kernel.Matrix[T] {
	h := matrix.View(s.long.X, i0, i1)
	if !s.multiplies() {
		return h
	}
	piece := s.h[member].Slice(0, s.rank, 0, i1-i0)
	matrix.CopyRows(piece, h)
	return piece
}

// passRankOne makes the pass over the slabs of one task for r = 1. It calls one kernel for each
// slab, or for each chunk within Reach.
func (s *solver[T]) passRankOne(member, task int) {
	s.sums.Fold(member, task, func(to *group.Part[T], slab int) {
		clear(to.Product.Data)
		to.Gram.Data[0] = 0
		first, last := s.slab(slab)
		for i0, i1 := first, first; i0 < last && !s.lines.Aborted(); i0 = i1 {
			i1 = s.lines.Reach(member, i0, last)
			if s.cells.Masked() {
				s.rankOneMasked(to, member, i0, i1)
			} else {
				s.rankOneRows(to, member, i0, i1)
			}
		}
		if s.cells.Masked() {
			to.Gram.Data[0] = kernel.SumSquares(s.long.X.Row(0)[first:last])
		}
	})
}

// rankOneRows is a pass of rank 1 over rows [i0, i1).
func (s *solver[T]) rankOneRows(to *group.Part[T], member, i0, i1 int) {
	var inv T
	if s.renew {
		inv = s.short.Inv[0]
	}
	acc, v, n, w := to.Product.Row(0), s.long.X.Row(0)[i0:i1], s.rowsOfN(member, i0, i1), s.short.X.Row(0)
	if s.rho != 0 {
		up := kernel.Augmented[T]{When: s.when, M: s.rowsOfM(member, i0, i1), Rho: s.rho}
		to.Gram.Data[0] = kernel.RankOneAugmented(acc, v, n, w, inv, to.Gram.Data[0], up)
		return
	}
	to.Gram.Data[0] = kernel.RankOne(acc, v, n, w, inv, to.Gram.Data[0], s.multiplier(member, i0, i1))
}

// rankOneMasked is rankOneRows for rows with missing entries. It does not form H Hᵀ.
func (s *solver[T]) rankOneMasked(to *group.Part[T], member, i0, i1 int) {
	v, n, w := s.long.X.Row(0)[i0:i1], s.rowsOfN(member, i0, i1), s.short.X.Row(0)
	if !s.renew {
		w = s.nothing // zeros leave v unchanged
	}
	acc, den, mask := to.Product.Row(0), to.Product.Row(1), s.mask(i0, i1)
	if s.rho != 0 {
		up := kernel.Augmented[T]{When: s.when, M: s.rowsOfM(member, i0, i1), Rho: s.rho}
		kernel.RankOneAugmentedMasked(acc, den, v, n, w, mask, up)
	} else {
		kernel.RankOneMasked(acc, den, v, n, w, mask, s.multiplier(member, i0, i1))
	}
}

// multiplier returns the update of the multipliers that the pass makes in rows [i0, i1).
func (s *solver[T]) multiplier(member, i0, i1 int) kernel.Multiplier[T] {
	up := kernel.Multiplier[T]{When: s.when, Mu: s.mu}
	if s.when != kernel.Never {
		up.M = s.rowsOfM(member, i0, i1)
	}
	return up
}

// adding returns the task that adds up one column panel of the products of all tasks of a pass, or their Gram matrices.
func (s *solver[T]) adding(sums *group.Sums[T]) func(member, task int) {
	return func(_, task int) {
		if task == s.panels {
			sums.AddGrams()
		} else {
			sums.AddProducts(s.panel(task))
		}
	}
}

// renewShort sweeps the short factor G, given the sums of the last pass, and brings B = G Gᵀ up to
// date.
func (s *solver[T]) renewShort() {
	switch {
	case s.lines.Aborted(): // the sums are not those of all rows
		return
	case s.rankOne && s.cells.Masked():
		divide(s.short.X.Row(0), s.c.Row(0), s.c.Row(1))
	case s.rankOne:
		kernel.Sweep(s.short.X, s.c, s.long.Gram, s.long.Inv, s.short.Penalty, s.short.Mask)
	case s.columns != nil:
		s.columns.Gather(s.long.X)
		s.Run(s.panels, s.sweepTask)
		s.columns.Put(s.short.X)
	default:
		s.Run(s.panels, s.sweepTask)
	}
	s.formB()
}

// formB sets B = G Gᵀ and its reciprocals.
func (s *solver[T]) formB() {
	s.Run(hals.GramTasks(s.rank), s.gramBTask)
	s.short.Invert()
}

// divide sets g to max(0, acc) / den. Where den is too small, g does not change.
func divide[T kernel.Float](g, acc, den []T) {
	for j, x := range acc {
		if inv := kernel.Reciprocal(den[j]); inv != 0 {
			g[j] = max(0, x) * inv
		}
	}
}
