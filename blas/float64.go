package blas

import "gonum.org/v1/gonum/blas"

// The methods of float64.

// Dgemm computes C = alpha op(A) op(B) + beta C.
func (impl Implementation) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if max(m, n, k) <= tinyExtent && tiny(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		return
	}
	if alpha != 0 && below(fromGemm, m, n, k) || !gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		impl.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsyrk computes a triangle of C = alpha A Aᵀ + beta C or C = alpha Aᵀ A + beta C.
func (impl Implementation) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if k < syrkInner || below(fromSyrk, n, n, min(n, k)) || !symmetric(1, ul, tA, n, k, alpha, a, lda, a, lda, beta, c, ldc) {
		if beta == 0 && scaledByZero(ul, tA) { // with alpha = 0, gonum sets C to zero
			impl.Implementation.Dsyrk(ul, tA, n, k, 0, a, lda, 0, c, ldc)
		}
		impl.Implementation.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Dsyr2k computes a triangle of C = alpha (A Bᵀ + B Aᵀ) + beta C or
// C = alpha (AᵀB + BᵀA) + beta C.
func (impl Implementation) Dsyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if k < syrkInner || below(fromSyr2k, n, n, min(n, k)) || !symmetric(2, ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		impl.Implementation.Dsyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dsymm computes C = alpha A B + beta C or C = alpha B A + beta C with a symmetric A.
func (impl Implementation) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if below(fromSymm, m, n, min(m, n)) || !symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		impl.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Dtrmm computes B = alpha op(A) B or B = alpha B op(A) with a triangular A.
func (impl Implementation) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if below(fromTriangle(s), m, n, min(m, n)) || !triangular(1, s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		impl.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Dtrsm solves op(A) X = alpha B or X op(A) = alpha B with a triangular A, in place of B.
func (impl Implementation) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	if below(fromTriangle(s), m, n, min(m, n)) || !triangular(-1, s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		impl.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Dgemv computes y = alpha op(A) x + beta y.
func (impl Implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < gemvCols || below(fromGemv, m, n, 1) || !gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		impl.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dger adds alpha x yᵀ to A.
func (impl Implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if incX > 0 && incY > 0 || !ger(m, n, alpha, x, incX, y, incY, a, lda) {
		impl.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Daxpy adds alpha x to y.
func (impl Implementation) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if n < fromAxpy || !axpy(n, alpha, x, incX, y, incY) {
		impl.Implementation.Daxpy(n, alpha, x, incX, y, incY)
	}
}

// Dscal multiplies x by alpha.
func (impl Implementation) Dscal(n int, alpha float64, x []float64, incX int) {
	if n < fromScal || n > toScal || !scal(n, alpha, x, incX) {
		impl.Implementation.Dscal(n, alpha, x, incX)
	}
}

// Ddot returns x·y.
func (impl Implementation) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if n >= fromDot {
		if value, ok := dot(n, x, incX, y, incY); ok {
			return value
		}
	}
	return impl.Implementation.Ddot(n, x, incX, y, incY)
}

// Dnrm2 returns the Euclidean norm of x.
func (impl Implementation) Dnrm2(n int, x []float64, incX int) float64 {
	if n >= fromNorm {
		if value, ok := nrm2(n, x, incX); ok {
			return value
		}
	}
	return impl.Implementation.Dnrm2(n, x, incX)
}
