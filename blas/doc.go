// Package blas is a BLAS for gonum on the kernels of this module: one line, and what
// gonum computes with matrices runs on them.
//
//	blas64.Use(blas.Implementation{})
//	blas32.Use(blas.Implementation{})
//
// Its matrix products are several times faster than gonum's, and so is what is made of
// them: mat.Dense.Mul, QR, LU, Cholesky, Solve, covariance matrices.
//
// # What it does
//
// Implementation embeds gonum's implementation and does these routines itself, for
// float64 and float32, all transposes and any strides:
//
//	level 3   gemm   syrk syr2k   symm     trmm trsm
//	            ^        |          |          |
//	            |     strips     blocks     halves
//	            +--------+----------+----------+
//	level 2   gemv, and ger where an increment is negative
//	level 1   dot, nrm2, axpy, scal of contiguous vectors
//
// Everything else is gonum's, and so are calls with bad arguments, which panic with
// gonum's words, calls that have nothing to compute, and calls that are so small that
// gonum is faster: products of less than some hundred multiply-adds, vectors of less
// than some hundred elements. Passing a call on costs one or two nanoseconds.
//
// A product is made of the panels of kernel.AccumulatePanel:
//
//	   panel of B, 192 bytes wide: in L1
//	             |
//	       B   +-+-+-+-+
//	           | | | | |   packed, a block that fits L2
//	           +-+-+-+-+
//	+------+   +-+-+-+-+
//	|  A   |   | | C   |   tiles of 8 rows of C stay in registers while the
//	+------+   | |     |   inner index runs
//	 a copy    +-+-+-+-+
//
// # Bits
//
// A result depends on the arguments alone: not on the instruction level, on blocks or on
// threads. An entry of a product is multiplied by beta, unless beta is 1, and set to zero
// if beta is 0; then it takes the products of a row of alpha A and a column of B in the
// order of the inner index, each by a fused multiply-add. Where C has fewer than six rows
// and B is transposed, or fewer than six columns and A is not, and the inner extent is at
// least 16, it takes alpha times a sum in 64 bytes of lanes, see package kernel. The
// triangles of syrk and syr2k and the result of symm have the bits of the products that
// define them. trmm and trsm multiply B by alpha, then go by halves of the triangle, down
// to 24 rows, and multiply by the reciprocals of the diagonal. nrm2 is the root of a sum
// of squares in lanes, unless that comes near to overflow or underflow.
//
// If alpha is 0, A and B are not read: C is multiplied by beta, and B of trmm and trsm is
// set to zero. Other zeros are not skipped, as gonum does in A: 0 times NaN, or an
// infinity, is NaN here.
// What is left to gonum has gonum's bits, which differ between architectures; which calls
// these are is decided by their shape.
//
// # Threads
//
// A call of some million multiply-adds or more is shared among goroutines, as many as
// GOMAXPROCS leaves idle when it begins: all calls of this package that run at a time
// count, so that a caller that keeps all processors busy with them gets no helpers. A call
// does not wait for a goroutine that finds no processor.
package blas
