// Package factors measures the factors V and W: their sparsity (sections 2.2 and 4.1 of the paper), and the hashes by
// which two results are compared.
package factors

import (
	"nmu/kernel"
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/support"
	"nmu/lnmu/outcome"
)

// RowSparsity measures the rows of a matrix: of W, or of the transpose of V.
func RowSparsity[T kernel.Float](x kernel.Matrix[T]) outcome.Sparsity {
	zeros, hoyer := support.Sparsity(group.Self{}, x, x.Cols)
	return outcome.Sparsity{Zeros: zeros, Hoyer: hoyer}
}

// SHA256 returns, in hexadecimal, the SHA-256 of the entries of d, row by row without gaps,
// in little-endian IEEE 754 format. Two factorizations with the same hashes are equal bit for
// bit.
func SHA256[T kernel.Float](d kernel.Matrix[T]) string {
	return codec.MatrixSum(group.Self{}, group.Distributed[T]{X: d})
}
