package outcome

import (
	"nmu/kernel"
	"nmu/lnmu/internal/codec"
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
func RowSparsity[T kernel.Float](x kernel.Matrix[T]) Sparsity {
	zeros, hoyer := support.Sparsity(group.Self{}, x, x.Cols)
	return Sparsity{zeros, hoyer}
}

// SHA256 returns, in hexadecimal, the SHA-256 of the entries of d, row by row without gaps,
// in little-endian IEEE 754 format. Two factorizations with the same hashes are equal bit for
// bit.
func SHA256[T kernel.Float](d kernel.Matrix[T]) string {
	return codec.MatrixSum(group.Self{}, group.Distributed[T]{X: d})
}
