package tiles

import (
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
)

// magnitude sums up entries in the order of their rows.
type magnitude[T kernel.Float] struct {
	squares float64
	most    T
}

func (x *magnitude[T]) add(val []T) {
	for _, v := range val {
		x.squares += float64(float64(v) * float64(v))
		x.most = max(x.most, v)
	}
}

// Norm returns ||M||_F and the largest entry of the matrix of that name, or an error if its
// squares leave the range of T.
func (c CSR[T]) Norm(name string) (norm, largest float64, err error) {
	var all magnitude[T]
	all.add(c.Val)
	return all.result(name, c.Rows, c.Cols)
}

// result returns the norm and the largest entry of a rows x cols matrix, or an error if the squares
// leave the range of T.
func (x *magnitude[T]) result(name string, rows, cols int) (norm, largest float64, err error) {
	if math.IsInf(float64(T(x.squares)), 0) {
		return 0, 0, fmt.Errorf("%w: the squares of %s overflow; scale %s down", fault.ErrValue, name, name)
	}
	return math.Sqrt(x.squares), float64(x.most), matrix.CheckSquares[T](name, x.squares, float64(x.most), float64(rows)*float64(cols))
}
