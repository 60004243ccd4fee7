package lnmu

import (
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// Float is the set of element types: every algorithm runs natively in either.
type Float = kernel.Float

// Dense is a dense row-major matrix: entry (i, j) is Data[i*Stride+j]. It is the
// matrix of package kernel, and converts to and from gonum's blas64.General and
// blas32.General, whose fields are the same in the same order. A Dense is a view:
// copying it does not copy Data.
type Dense[T Float] = kernel.Matrix[T]

// NewDense returns the rows x cols matrix whose rows lie one behind the other
// in data, without copying. If data is nil, it returns a zero matrix. It panics
// if rows or cols is negative, if rows*cols overflows, and if data has another
// length than that.
func NewDense[T Float](rows, cols int, data []T) Dense[T] { return matrix.New(rows, cols, data) }
