package blas

import (
	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// tinyExtent is the largest extent of a product that is left to tiny.
const tinyExtent = 4

// tiny computes a product of small extents by a plain loop, which takes less time than gonum's routine and
// the copy of the arguments for it. An entry of C is multiplied by beta, or set to zero if beta is 0. Then
// the products of a row of alpha A and a column of B are added to it in the order of the inner index, each
// rounded before. ok is false if the product does no work or has bad arguments. C is unchanged then.
func tiny[T kernel.Float](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) (ok bool) {
	if min(m, n, k) <= 0 || alpha == 0 || ldc < n || ldc > len(c) || (m-1)*ldc+n > len(c) {
		return false
	}
	rowA, colA, okA := steps(tA, m, k, lda, len(a))
	rowB, colB, okB := steps(tB, k, n, ldb, len(b))
	if !okA || !okB {
		return false
	}
	for i := range m {
		row := c[i*ldc:][:n]
		for j := range row {
			var sum T
			if beta != 0 {
				sum = beta * row[j]
			}
			at, bt := i*rowA, j*colB
			for range k {
				sum += T(T(alpha*a[at]) * b[bt])
				at, bt = at+colA, bt+rowB
			}
			row[j] = sum
		}
	}
	return true
}

// steps returns how many elements the rows and the columns of a small operand are apart. ok is false if
// the operand does not fit into size elements with the stride ld, or t is no transpose.
func steps(t blas.Transpose, rows, cols, ld, size int) (row, col int, ok bool) {
	row, col, least := ld, 1, cols
	if t != blas.NoTrans {
		row, col, least = 1, ld, rows
	}
	return row, col, (t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans) && ld >= least && ld <= size && (rows-1)*row+(cols-1)*col < size
}
