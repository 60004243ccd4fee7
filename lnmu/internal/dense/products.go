package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Tall implements core.Products.
func (s *solver[T]) Tall() bool { return s.tall }

// Factor implements core.Products.
func (s *solver[T]) Factor(long bool) kernel.Matrix[T] {
	if long {
		return s.long
	}
	return s.short
}

// Product implements core.Products.
func (s *solver[T]) Product(long bool) (product, gram kernel.Matrix[T]) {
	if !long {
		s.pass(kernel.Never, 0, false)
		return s.c, s.d
	}
	if s.productTask == nil {
		s.products, s.productTask = kernel.NewMatrix[T](s.rank, s.rows), s.multiplySlab
	}
	s.formB()
	s.Run(s.slabs, s.productTask)
	return s.products, s.b
}

// multiplySlab forms the products of the rows of a slab of N with the short factor.
func (s *solver[T]) multiplySlab(_, task int) {
	first, last := s.slab(task)
	for i0 := first; i0 < last && !s.leftOut(); i0 += s.block {
		i1 := min(i0+s.block, last)
		kernel.Contract(matrix.View(s.products, i0, i1), s.n.Slice(i0, i1, 0, s.cols), s.short)
	}
}

// Fit implements core.Products.
func (s *solver[T]) Fit() float64 { return s.fit() }

// multiplier is a solver whose factors are vectors that are multiplied by N.
type multiplier[T kernel.Float] struct{ *solver[T] }

// Multiplier implements core.Multiplying.
func (a *place[T]) Multiplier(vectors int) core.Multiplier[T] {
	if a.vectors == nil || a.vectors.rank != vectors {
		a.vectors = newSolver(a.layout, vectors)
		a.vectors.n, a.vectors.ends = a.state, a.Cancelled
	}
	return multiplier[T]{a.vectors}
}

// Dims implements core.Multiplier.
func (m multiplier[T]) Dims() (long, short int) { return m.rows, m.cols }

// Multiply implements core.Multiplier.
func (m multiplier[T]) Multiply(short bool, dst, src kernel.Matrix[T]) {
	s := m.solver
	if !short {
		s.short, s.products = src, dst
		s.Run(s.slabs, s.multiplySlab)
		return
	}
	s.long = src
	s.pass(kernel.Never, 0, false)
	matrix.CopyRows(dst, s.c)
}

// Load implements core.Settable.
func (s *solver[T]) Load(long bool) kernel.Matrix[T] { return s.Factor(long) }

// Store implements core.Settable: the factors are those of Load.
func (s *solver[T]) Store(bool, kernel.Matrix[T]) {}

// Impute implements core.Imputing.
func (s *solver[T]) Impute() { s.fillMissing() }

// Forget implements core.Imputing.
func (s *solver[T]) Forget() {
	for i := range s.rows {
		observed.Clear(s.n.Slice(i, i+1, 0, s.cols), s.cells.Rows, i, 0)
	}
}
