package blas

import "gonum.org/v1/gonum/blas"

// The methods of float32.

// Sgemm computes C = alpha op(A) op(B) + beta C.
func (impl Implementation) Sgemm(tA, tB blas.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if max(m, n, k) <= tinyExtent && tiny(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		return
	}
	if alpha != 0 && below(fromGemm, m, n, k) || !gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		impl.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssyrk computes a triangle of C = alpha A Aᵀ + beta C or C = alpha Aᵀ A + beta C.
func (impl Implementation) Ssyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if k < syrkInner || below(fromSyrk, n, n, min(n, k)) || !symmetric(1, ul, tA, n, k, alpha, a, lda, a, lda, beta, c, ldc) {
		if beta == 0 && scaledByZero(ul, tA) { // with alpha = 0, gonum sets C to zero
			impl.Implementation.Ssyrk(ul, tA, n, k, 0, a, lda, 0, c, ldc)
		}
		impl.Implementation.Ssyrk(ul, tA, n, k, alpha, a, lda, beta, c, ldc)
	}
}

// Ssyr2k computes a triangle of C = alpha (A Bᵀ + B Aᵀ) + beta C or
// C = alpha (AᵀB + BᵀA) + beta C.
func (impl Implementation) Ssyr2k(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if k < syrkInner || below(fromSyr2k, n, n, min(n, k)) || !symmetric(2, ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		impl.Implementation.Ssyr2k(ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ssymm computes C = alpha A B + beta C or C = alpha B A + beta C with a symmetric A.
func (impl Implementation) Ssymm(s blas.Side, ul blas.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int) {
	if below(fromSymm, m, n, min(m, n)) || !symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) {
		impl.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Strmm computes B = alpha op(A) B or B = alpha B op(A) with a triangular A.
func (impl Implementation) Strmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if below(fromTriangle(s), m, n, min(m, n)) || !triangular(1, s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		impl.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Strsm solves op(A) X = alpha B or X op(A) = alpha B with a triangular A, in place of B.
func (impl Implementation) Strsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int) {
	if below(fromTriangle(s), m, n, min(m, n)) || !triangular(-1, s, ul, tA, d, m, n, alpha, a, lda, b, ldb) {
		impl.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
}

// Sgemv computes y = alpha op(A) x + beta y.
func (impl Implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if n < gemvCols || below(fromGemv, m, n, 1) || !gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		impl.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Sger adds alpha x yᵀ to A.
func (impl Implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if incX > 0 && incY > 0 || !ger(m, n, alpha, x, incX, y, incY, a, lda) {
		impl.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Saxpy adds alpha x to y.
func (impl Implementation) Saxpy(n int, alpha float32, x []float32, incX int, y []float32, incY int) {
	if n < fromAxpy || !axpy(n, alpha, x, incX, y, incY) {
		impl.Implementation.Saxpy(n, alpha, x, incX, y, incY)
	}
}

// Sscal multiplies x by alpha.
func (impl Implementation) Sscal(n int, alpha float32, x []float32, incX int) {
	if n < fromScal || n > toScal || !scal(n, alpha, x, incX) {
		impl.Implementation.Sscal(n, alpha, x, incX)
	}
}

// Sdot returns x·y.
func (impl Implementation) Sdot(n int, x []float32, incX int, y []float32, incY int) float32 {
	if n >= fromDot {
		if value, ok := dot(n, x, incX, y, incY); ok {
			return value
		}
	}
	return impl.Implementation.Sdot(n, x, incX, y, incY)
}

// Snrm2 returns the Euclidean norm of x.
func (impl Implementation) Snrm2(n int, x []float32, incX int) float32 {
	if n >= fromNorm {
		if value, ok := nrm2(n, x, incX); ok {
			return value
		}
	}
	return impl.Implementation.Snrm2(n, x, incX)
}
