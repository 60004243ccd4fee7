package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Tall implements core.Products and core.Multiplier.
func (s *solver[T]) Tall() bool { return s.tall }

// Factor implements core.Products.
func (s *solver[T]) Factor(long bool) kernel.Matrix[T] {
	if !long {
		return s.short.X
	}
	if s.allLong.Data == nil {
		s.allLong = s.roomFor(s.rank)
	}
	whole := s.gather(s.long.X, s.allLong)
	s.long.X = s.own(whole)
	return whole
}

// Product implements core.Products.
func (s *solver[T]) Product(long bool) (product, gram kernel.Matrix[T]) {
	if !long {
		s.pass(kernel.Never, 0, false)
		return s.c, s.long.Gram
	}
	s.formB()
	s.multiply(kernel.Never, 0)
	return s.products, s.short.Gram
}

// multiply makes a pass that forms the products of N with the short factor. If when is Before, it
// first updates the multipliers.
func (s *solver[T]) multiply(when kernel.When, mu float64) {
	if s.productTask == nil {
		s.productTask = s.multiplySlab
	}
	s.when, s.mu = when, T(mu)
	m, n := block.Untouched, block.Reads
	if when == kernel.Before {
		m, n = block.Reads, block.Updates
	}
	s.overSlabs(m, n, true, s.productTask)
	s.complete(s.products)
}

// multiplySlab forms the products of the rows of a slab.
func (s *solver[T]) multiplySlab(member, task int) {
	s.eachBlock(member, task, func(i0 int, _, n kernel.Matrix[T]) bool {
		if s.when == kernel.Before {
			s.updateMultiplier(member, matrix.View(s.long.X, i0, i0+n.Rows), i0, i0+n.Rows)
		}
		kernel.Contract(matrix.View(s.own(s.products), i0, i0+n.Rows), n, s.short.X)
		return true
	})
}

// Fit implements core.Products.
func (s *solver[T]) Fit() float64 { return s.fit() }

// Multiplier implements core.Startable by a solver whose factors are vectors that are multiplied by N.
func (s *solver[T]) Multiplier(vectors int) core.Multiplier[T] {
	a := s.at
	if a.vectors == nil || a.vectors.rank != vectors {
		a.vectors = newSolver(a.layout, vectors)
		a.vectors.n, a.vectors.ends = a.state, a.Cancelled
	}
	a.vectors.means = a.means
	return a.vectors
}

// Dims implements core.Multiplier.
func (s *solver[T]) Dims() (long, short int) { return s.whole, s.cols }

// Multiply implements core.Multiplier.
func (s *solver[T]) Multiply(short bool, dst, src kernel.Matrix[T]) {
	if !short {
		s.short.X, s.products = src, dst
		s.multiply(kernel.Never, 0)
		return
	}
	s.long.X = s.own(src)
	s.pass(kernel.Never, 0, false)
	matrix.CopyRows(dst, s.c)
}

// ColumnSquares implements core.Multiplier. The processes add to the sums one after the other, in the order
// of the rows of M.
func (s *solver[T]) ColumnSquares(sums []float64) {
	group.Ring(s.share, group.Memory(sums), func() {
		s.inOrder(block.Reads, true, func(i0 int, n kernel.Matrix[T]) {
			for i := range n.Rows {
				for j, x := range n.Row(i) {
					if !s.tall {
						j = s.first + i0 + i
					}
					sums[j] += float64(float64(x) * float64(x))
				}
			}
		})
	})
	s.lines.Agree()
}

// Load implements core.Startable.
func (s *solver[T]) Load(long bool) kernel.Matrix[T] {
	if long {
		return s.gather(s.long.X, s.roomFor(s.rank))
	}
	return s.short.X
}

// Store implements core.Startable.
func (s *solver[T]) Store(long bool, x kernel.Matrix[T]) {
	if long {
		matrix.CopyRows(s.long.X, s.own(x))
	}
}

// Impute implements core.Startable. Means take the place of the missing entries of N.
func (s *solver[T]) Impute() { s.at.means = s.findMeans() }

// Forget implements core.Startable.
func (s *solver[T]) Forget() {
	if s.at.means = nil; s.files == nil && s.cells.Masked() {
		observed.Clear(s.n, s.cells.Rows, 0, 0)
	}
}
