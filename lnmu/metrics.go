package lnmu

import (
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
)

// Sparsity measures the columns of V or the rows of W after rounding by the 0.1 % rule: an
// entry counts as zero if it is "less than 0.1% of the largest entry in its column" of V, or
// row of W (section 4.4).
type Sparsity struct {
	Zeros float64 // s(·): the proportion of zeros (section 2.2)
	Hoyer float64 // sh(·): Hoyer's measure, mean over the nonzero vectors (section 4.1); 0 if all are zero
}

// RowSparsity measures the rows of a matrix: of W, or of the transpose of V.
func RowSparsity[T Float](x Dense[T]) Sparsity { return sparsityOf(group.Self{}, x, x.Cols) }

// sparsityOf is RowSparsity of rows of so many entries, of which each process has those of d.
func sparsityOf[T Float](all Processes, d Dense[T], length int) (s Sparsity) {
	s.Zeros, s.Hoyer = support.Sparsity(all, d, length)
	return s
}
