package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
)

// multiplier is a solver whose factors are vectors that are multiplied by N.
type multiplier[T kernel.Float] struct{ *solver[T] }

// Multiplier implements core.Multiplying.
func (a *place[T]) Multiplier(vectors int) core.Multiplier[T] {
	if a.vectors == nil || a.vectors.rank != vectors {
		a.vectors = newSolver(a.layout, vectors, a.Missing)
		a.vectors.multiplies = true
	}
	return multiplier[T]{a.vectors}
}

// Dims implements core.Multiplier: the rows of the layout are the longer side, even where
// M is kept by rows although it is wide.
func (m multiplier[T]) Dims() (long, short int) { return m.long.h.Rows, m.short.h.Rows }

// Multiply implements core.Multiplier.
func (m multiplier[T]) Multiply(short bool, dst, src kernel.Matrix[T]) {
	if short {
		matrix.Transpose(m.long.h, src)
		m.renewShort(0)
		matrix.Transpose(dst, m.short.h)
		return
	}
	matrix.Transpose(m.short.h, src)
	m.renewLong(0)
	matrix.Transpose(dst, m.long.h)
}

// Load implements core.Settable: in a copy.
func (s *solver[T]) Load(long bool) kernel.Matrix[T] { return matrix.Transposed(s.side(long).h) }

// Store implements core.Settable.
func (s *solver[T]) Store(long bool, x kernel.Matrix[T]) { matrix.Transpose(s.side(long).h, x) }
