package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tree"
)

// mask is which entries of a matrix are observed, for its rows and for its columns.
// The zero value stands for all of them.
type mask struct{ rows, cols kernel.Bits }

// masked reports whether entries are missing.
func (k mask) masked() bool { return k.rows.Data != nil }

// turned returns that of the transpose.
func (k mask) turned() mask { return mask{k.cols, k.rows} }

// slice returns that of rows [i0, i1) of columns [j0, j1); i0 and j0 are multiples of 8.
func (k mask) slice(i0, i1, j0, j1 int) mask {
	if !k.masked() {
		return k
	}
	return mask{k.rows.Slice(i0, i1, j0, j1), k.cols.Slice(j0, j1, i0, i1)}
}

// clearMissing sets the missing entries of x, which lies at row i and column j of what
// is seen, j being a multiple of 8, to zero.
func clearMissing[T kernel.Float](x kernel.Matrix[T], seen kernel.Bits, i, j int) {
	if seen.Data != nil {
		kernel.Keep(x, seen.Slice(i, i+x.Rows, j, j+x.Cols))
	}
}

// observations is what a solver has to know of missing entries and of weights, in the
// layout of its passes. The zero value stands for a complete matrix.
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
// A pass sets N from the factors that it finds, and so costs 2mnr operations more.
//
// # Exactly
//
// The minimum over row i of V of the weighted error is that of a problem with the Gram
// matrix Σ_j w_ij W_:j W_:jᵀ of its own, and with Σ_j (w_ij m_ij - Λ_ij) W_:j: that of
// all columns less those that are missing, or the sum over the observed ones, whichever
// are fewer. It takes O(r²) operations for each of these entries.
//
// A factor of rank one has no need of either: its exact step costs hardly more than
// that of a complete matrix, and is the one that is taken, but with weights.
type observations[T kernel.Float] struct {
	mask
	weights kernel.Matrix[T] // at most 1; none if all are equal
	exact   bool
}

// incomplete reports whether M is.
func (p observations[T]) incomplete() bool { return p.masked() || p.weights.Data != nil }

// Weights are the weights of the entries of a matrix.
type Weights interface {
	Dims() (rows, cols int)
	At(i, j int) float64
}

// Observe makes s a source of which these entries are observed, all of them for the zero
// Bits, with these weights, nil for equal ones; exact says how a HALS step takes note of
// that. The entries that are not observed may hold anything.
func (s Source[T]) Observe(bits kernel.Bits, weights Weights, exact bool) Source[T] {
	if bits.Data == nil && weights == nil {
		return s
	}
	s.mask = mask{rows: bits}
	if bits.Data != nil {
		s.mask.cols = kernel.NewBits(bits.Cols, bits.Rows)
		for i := range bits.Rows {
			for j := range bits.Cols {
				if bits.At(i, j) {
					s.mask.cols.Set(j, i, true)
				}
			}
		}
	}
	s.weights, s.exact = weights, exact
	s.seen = s.observations(s.Cols <= s.Rows)
	return s
}

// observations returns what is observed of M, for passes over its rows or, if it is not
// tall, over its columns.
func (s Source[T]) observations(tall bool) observations[T] {
	p := observations[T]{mask: s.mask, exact: s.exact}
	if s.weights != nil {
		p.weights = scaled[T](s.weights, s.mask.rows, !tall)
	}
	if !tall {
		p.mask = p.mask.turned()
	}
	return p
}

// scaled returns weights, or their transpose, with 1 for the largest observed one and
// 0 for the missing ones.
func scaled[T kernel.Float](weights Weights, seen kernel.Bits, transposed bool) kernel.Matrix[T] {
	rows, cols := weights.Dims()
	var most float64
	for i := range rows {
		for j := range cols {
			if seen.Data == nil || seen.At(i, j) {
				most = max(most, weights.At(i, j))
			}
		}
	}
	turn := func(i, j int) (int, int) { return i, j }
	if transposed {
		rows, cols = cols, rows
		turn = func(i, j int) (int, int) { return j, i }
	}
	w := kernel.NewMatrix[T](rows, cols)
	for i := range rows {
		for j := range w.Row(i) {
			if a, b := turn(i, j); seen.Data == nil || seen.At(a, b) {
				w.Row(i)[j] = T(weights.At(a, b) / most)
			}
		}
	}
	return w
}

// weightedNorm returns the weighted ||M||_F of a source.
func (m Source[T]) weightedNorm() float64 {
	w, tall := m.seen.weights, m.Cols <= m.Rows
	var squares float64
	_ = m.eachRow(func(i int, row []T) error {
		var sum float64
		for j, x := range row {
			if tall {
				sum += float64(float64(w.At(i, j)) * float64(float64(x)*float64(x)))
			} else {
				sum += float64(float64(w.At(j, i)) * float64(float64(x)*float64(x)))
			}
		}
		squares += sum
		return nil
	})
	return math.Sqrt(squares)
}

// squares returns the weighted sum of squares of a row of a residual, which lies at
// row i and column j.
func (p observations[T]) squares(e []T, i, j int) float64 {
	if p.weights.Data == nil {
		return float64(kernel.SumSquares(e))
	}
	var sum float64
	for l, w := range p.weights.Row(i)[j : j+len(e)] {
		sum += float64(float64(w) * float64(float64(e[l])*float64(e[l])))
	}
	return sum
}

// observed reports whether entry (i, j) is.
func (p observations[T]) observed(i, j int) bool { return !p.masked() || p.mask.rows.At(i, j) }

// observe lets the passes of s regard what is observed alone.
func (s *solver[T]) observe(p observations[T]) {
	s.observations = p
	switch {
	case !p.incomplete():
	case s.rankOne:
		s.nothing = make([]T, s.cols)
		s.sums = group.NewSums[T](s.share, s.Size(), 2, s.cols, 1) // H N, and what H Hᵀ is for each column
		s.c, s.d = s.sums.Total().Product, s.sums.Total().Gram
	default:
		for range s.Size() {
			if p.exact {
				s.lineGrams = append(s.lineGrams, newLineGrams[T](s.rank, max(s.rows, s.cols)))
			}
		}
		s.makeTargets()
	}
}

// makeTargets reserves a block of N for each member of the team.
func (s *solver[T]) makeTargets() {
	s.targets = make([]kernel.Matrix[T], s.Size())
	for i := range s.targets {
		s.targets[i] = kernel.NewMatrix[T](s.block, s.cols)
	}
}

// target returns rows [i0, i1) of N as a step sees them, after an update of the
// multipliers if told to.
func (s *solver[T]) target(member, i0, i1 int, update bool) kernel.Matrix[T] {
	if s.rho != 0 {
		return s.augmentedTarget(member, i0, i1, update)
	}
	n := s.rowsOfN(member, i0, i1)
	if !s.incomplete() || s.exact {
		if update {
			s.updateMultiplier(member, i0, i1)
		}
		if s.weights.Data == nil {
			return n
		}
	}
	x := s.targets[member].Slice(0, i1-i0, 0, s.cols)
	if s.exact {
		for i := range x.Rows {
			clear(x.Row(i))
		}
	} else {
		kernel.Product(x, matrix.View(s.long, i0, i1), s.short)
		switch {
		case update && s.masked(): // what is missing of N becomes that of x
			kernel.UpdateMultiplierMasked(n, s.m.Slice(i0, i1, 0, s.cols), x, s.mask.rows.Slice(i0, i1, 0, s.cols), s.mu)
		case update:
			kernel.UpdateMultiplier(n, s.m.Slice(i0, i1, 0, s.cols), x, s.mu)
		}
	}
	if s.weights.Data != nil {
		kernel.ImputeWeighted(x, n, s.weights.Slice(i0, i1, 0, s.cols))
	} else {
		kernel.Impute(x, n, s.mask.rows.Slice(i0, i1, 0, s.cols))
	}
	return x
}

// updateMultiplier updates rows [i0, i1) of N, which is 0 where it is missing.
func (s *solver[T]) updateMultiplier(member, i0, i1 int) {
	n, m := s.rowsOfN(member, i0, i1), s.rowsOfM(member, i0, i1)
	kernel.UpdateMultiplierProduct(n, m, matrix.View(s.long, i0, i1), s.short, s.mu)
	clearMissing(n, s.mask.rows, i0, 0)
}

// divide sets g to max(0, acc) / den, but where den is too small for that.
func divide[T kernel.Float](g, acc, den []T) {
	for j, x := range acc {
		if inv := kernel.Reciprocal(den[j]); inv != 0 {
			g[j] = max(0, x) * inv
		}
	}
}

// fillMissing sets the missing entries of N, for want of anything better, to what the
// means of the observed ones in their row and column lead to: mean of the row times
// mean of the column over the mean of all.
func (s *solver[T]) fillMissing() {
	if !s.masked() {
		return
	}
	type mean struct{ sum, count float64 }
	var all mean
	rows, cols := make([]mean, s.rows), make([]mean, s.cols)
	each := func(observed bool, do func(i, j int, n *T)) {
		for i := range s.rows {
			n := s.n.Row(i)
			for j := range n {
				if s.observed(i, j) == observed {
					do(i, j, &n[j])
				}
			}
		}
	}
	each(true, func(i, j int, n *T) {
		for _, m := range []*mean{&all, &rows[i], &cols[j]} {
			m.sum += float64(*n)
			m.count++
		}
	})
	if !(all.sum > 0) {
		return
	}
	each(false, func(i, j int, n *T) {
		*n = T(rows[i].sum / rows[i].count * (cols[j].sum / cols[j].count) / (all.sum / all.count))
	})
}

// fitPartial returns the α that minimises the weighted ||N - α VW|| over what is
// observed.
func (s *solver[T]) fitPartial() float64 {
	type sums struct{ across, within float64 }
	found := make([]sums, s.slabs)
	s.Run(s.slabs, func(member, task int) {
		first, last := s.slab(task)
		for i := first; i < last; i += matrix.TileRows {
			end := min(i+matrix.TileRows, last)
			for j := 0; j < s.cols; j += matrix.TileCols {
				to := min(j+matrix.TileCols, s.cols)
				x := s.product[member].Slice(0, end-i, 0, to-j)
				kernel.Product(x, matrix.View(s.long, i, end), matrix.View(s.short, j, to))
				clearMissing(x, s.mask.rows, i, j)
				for k := range x.Rows {
					n := s.n.Row(i + k)[j:to]
					for l, a := range x.Row(k) {
						if a == 0 {
							continue // N may hold anything
						}
						w := 1.0
						if s.weights.Data != nil {
							w = float64(s.weights.Row(i + k)[j+l])
						}
						found[task].across += float64(float64(w*float64(a)) * float64(n[l]))
						found[task].within += float64(float64(w*float64(a)) * float64(a))
					}
				}
			}
		}
	})
	all := tree.Sum(found, func(a, b sums) sums { return sums{a.across + b.across, a.within + b.within} })
	return all.across / all.within
}
