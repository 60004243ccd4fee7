package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Steps on an incomplete M.
//
// # Majorization
//
// Let x be V W before a step, and w <= 1 the weights, 0 where an entry is missing. As
//
//	w (m - v w)² <= (x + w (m - x) - v w)² + terms of x alone
//
// with equality for v w = x, a step that makes ||N - V W|| smaller for
// N = x + w (m - x) makes the weighted error smaller by at least as much. Without
// weights N is M where it is observed and V W where it is not. With multipliers Λ,
// which only observed entries have, N = x + w (m - x) - Λ.
//
// A pass computes N from the current factors, which costs 2mnr operations more.
//
// # Exactly
//
// The weighted error as a function of row i of V has a Gram matrix of its own, Σ_j w_ij W_:j
// W_:jᵀ, and the product Σ_j (w_ij m_ij - Λ_ij) W_:j. The Gram matrix is summed over the observed
// columns, or is that of all columns less the missing ones, whichever are fewer. It takes O(r²)
// operations for each of these columns.
//
// A factor of rank one needs neither. Its exact step costs hardly more than that of a complete
// matrix, and is always taken, except with weights.

// observe restricts the passes of s to the observed entries.
func (s *solver[T]) observe(c observed.Cells[T]) {
	s.cells = c
	if c.Weighted() {
		for range s.Size() {
			s.weights = append(s.weights, c.NewRoom(s.arena, s.block))
		}
	}
	switch {
	case !c.Incomplete():
	case s.rankOne:
		s.nothing = arena.Slice[T](s.arena, s.cols)
		s.sums = group.NewSums(s.share, s.Size(), 2, s.cols, 1, s.matrix) // H N, and the H Hᵀ of each column
		s.c, s.long.Gram = s.sums.Total().Product, s.sums.Total().Gram
	default:
		if c.Exact {
			s.columns = observed.NewColumns(s.arena, s.share, c, s.whole, s.cols)
			for range s.Size() {
				s.grams = append(s.grams, newGrams[T](s.arena, s.rank, max(s.whole, s.cols)))
			}
		}
		s.makeTargets()
	}
}

// makeTargets reserves a block of N for each member of the team.
func (s *solver[T]) makeTargets() {
	s.targets = s.each(s.block, s.cols)
}

// mask returns the mask of the observed entries in rows [i0, i1).
func (s *solver[T]) mask(i0, i1 int) kernel.Bits { return s.cells.Rows.Slice(i0, i1, 0, s.cols) }

// weightsOf returns the weights of rows [i0, i1), or no matrix if all are equal.
func (s *solver[T]) weightsOf(member, i0, i1 int) kernel.Matrix[T] {
	if !s.cells.Weighted() {
		return kernel.Matrix[T]{}
	}
	return s.cells.Weights(&s.weights[member], i0, i1)
}

// target returns rows [i0, i1) of the target of a step, given their columns h of the long factor.
// If update, it first updates the multipliers.
func (s *solver[T]) target(member int, h kernel.Matrix[T], i0, i1 int, update bool) kernel.Matrix[T] {
	if s.rho != 0 {
		return s.augmentedTarget(member, h, i0, i1, update)
	}
	n, exact := s.rowsOfN(member, i0, i1), s.cells.Exact
	if !s.cells.Incomplete() || exact {
		if update {
			s.updateMultiplier(member, h, i0, i1)
		}
		if !s.cells.Weighted() {
			return n
		}
	}
	x := s.targets[member].Slice(0, i1-i0, 0, s.cols)
	if exact {
		for i := range x.Rows {
			clear(x.Row(i))
		}
	} else {
		kernel.Product(x, h, s.short.X)
		switch {
		case update && s.cells.Masked(): // missing entries of N become those of x
			kernel.UpdateMultiplierMasked(n, s.rowsOfM(member, i0, i1), x, s.mask(i0, i1), s.mu)
		case update:
			kernel.UpdateMultiplier(n, s.rowsOfM(member, i0, i1), x, s.mu)
		}
	}
	if s.cells.Weighted() {
		kernel.ImputeWeighted(x, n, s.weightsOf(member, i0, i1))
	} else {
		kernel.Impute(x, n, s.mask(i0, i1))
	}
	return x
}

// updateMultiplier updates rows [i0, i1) of N and sets missing entries to 0.
func (s *solver[T]) updateMultiplier(member int, h kernel.Matrix[T], i0, i1 int) {
	n, m := s.rowsOfN(member, i0, i1), s.rowsOfM(member, i0, i1)
	kernel.UpdateMultiplierProduct(n, m, h, s.short.X, s.mu)
	observed.Clear(n, s.cells.Rows, i0, 0)
}

// findMeans returns the means of the observed entries of N. It returns nil if no entry is missing
// or all observed entries are zero.
func (s *solver[T]) findMeans() *observed.Means {
	if !s.cells.Masked() {
		return nil
	}
	m := observed.NewMeans(s.cells.Rows, s.Size())
	group.Ring(s.share, group.Memory(m.Sums), func() {
		s.inOrder(block.Reads, true, func(i0 int, n kernel.Matrix[T]) { observed.Add(m, n, i0) })
	})
	if s.lines.Agree(); m.Zero() {
		return nil
	}
	return m
}

// fitPartial returns the α that minimises the weighted ||N - α VW|| over the observed entries. α
// is not a number if VW = 0.
func (s *solver[T]) fitPartial() float64 {
	found := make([]fitSums, s.slabs)
	s.overSlabs(block.Untouched, block.Reads, true, func(member, task int) {
		sum := &found[task]
		first, last := s.slab(task)
		for i := first; i < last && !s.lines.Aborted(); i += matrix.TileRows {
			end := min(i+matrix.TileRows, last)
			rows, weights := s.rowsOfN(member, i, end), s.weightsOf(member, i, end)
			for j := 0; j < s.cols; j += matrix.TileCols {
				to := min(j+matrix.TileCols, s.cols)
				x := s.product[member].Slice(0, end-i, 0, to-j)
				kernel.Product(x, matrix.View(s.long.X, i, end), matrix.View(s.short.X, j, to))
				observed.Clear(x, s.cells.Rows, i, j)
				for k := range x.Rows {
					addProducts(sum, x.Row(k), rows.Row(k)[j:to], matrix.View(weights, j, to).Row(k))
				}
			}
		}
	})
	if s.lines.Aborted() {
		return math.NaN()
	}
	all := group.Sum(s.share, found, fitSums.plus)
	return all.across / all.within
}

// fitSums are weighted sums of products: of N with V W, and of V W with itself.
type fitSums struct{ across, within float64 }

func (a fitSums) plus(b fitSums) fitSums { return fitSums{a.across + b.across, a.within + b.within} }

// addProducts adds the products of a row of N with x = V W, given their weights if there are any.
func addProducts[T kernel.Float](a *fitSums, x, n, weights []T) {
	for l, x := range x {
		if x == 0 {
			continue // x is 0 at missing entries, where N is invalid
		}
		w := 1.0
		if weights != nil {
			w = float64(weights[l])
		}
		a.across += float64(float64(w*float64(x)) * float64(n[l]))
		a.within += float64(float64(w*float64(x)) * float64(x))
	}
}

// observedColumns returns the observed entries of the whole columns that this process renews.
func (s *solver[T]) observedColumns() *observed.Columns[T] {
	switch {
	case s.columns != nil:
		return s.columns
	case s.across == nil:
		c := s.cells
		if c.Masked() && c.Cols.Data == nil { // no pass has needed it
			c.Cols = observed.Transposed(s.arena, c.Rows)
		}
		s.across = observed.NewColumns(s.arena, s.share, c, s.whole, s.cols)
	}
	return s.across
}

// line returns what the Gram matrices of the lines of the long factor depend on.
func (s *solver[T]) line() observed.Line[T] {
	return s.cells.Line(s.short.X, s.short.Gram, s.short.Inv, false)
}

// renewLong renews columns [i0, i1) of the long factor, which are h, given their products a
// with N.
func (s *solver[T]) renewLong(member, i0, i1 int, h, a kernel.Matrix[T]) {
	f := &s.long
	if f.Within {
		matrix.CopyRows(matrix.View(f.Old, i0, i1), h)
	}
	if mask := matrix.View(f.Mask, i0, i1); s.columns != nil {
		s.grams[member].sweep(member, f, s.line(), i0, h, a, mask)
	} else {
		f.Sweep(member, s.beforeSweep(member, i1-i0), h, a, mask)
	}
	if f.Within {
		kernel.Extrapolate(h, matrix.View(f.Before, i0, i1), f.Beta)
	}
}

// skipLong makes Back keep columns [i0, i1) of the long factor, which an aborted pass did not renew.
func (s *solver[T]) skipLong(i0, i1 int) {
	if s.long.Within {
		matrix.CopyRows(matrix.View(s.long.Old, i0, i1), matrix.View(s.long.X, i0, i1))
	}
}

// sweepShort renews those columns of a panel of the short factor that belong to this process.
func (s *solver[T]) sweepShort(member, task int) {
	f := &s.short
	j0, j1 := s.panel(task)
	if s.columns != nil {
		own := group.Span{From: j0, To: j1}.Intersect(s.columns.Own)
		j0, j1 = own.From, own.To
	}
	g, c, mask := matrix.View(f.X, j0, j1), matrix.View(s.c, j0, j1), matrix.View(f.Mask, j0, j1)
	if s.columns != nil {
		s.grams[member].sweep(member, f, s.columns.Line(s.long.Gram, s.long.Inv), j0-s.columns.Own.From, g, c, mask)
		return
	}
	f.Sweep(member, s.beforeSweep(member, j1-j0), g, c, mask)
}

// beforeSweep returns scratch for that many columns of a sweep, if sweeps are measured.
func (s *solver[T]) beforeSweep(member, columns int) kernel.Matrix[T] {
	if s.before == nil {
		return kernel.Matrix[T]{}
	}
	return matrix.View(s.before[member], 0, columns)
}
