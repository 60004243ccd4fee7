// Package blas is a BLAS for gonum on the kernels of this module. One line makes gonum use it:
//
//	blas64.Use(blas.Implementation{})
//	blas32.Use(blas.Implementation{})
//
// Its matrix products are several times faster than gonum's, and so are the functions that use
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
// It passes everything else to gonum. This includes bad arguments, which panic with gonum's
// messages, calls without work, and calls so small that gonum is faster: products of less than
// some hundred multiply-adds, vectors of less than some hundred elements. Passing a call on
// costs one or two nanoseconds.
//
// A product is computed by the panels of kernel.AccumulatePanel:
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
// If alpha is 0, A and B are not read: C is multiplied by beta, and B of trmm and trsm is set
// to zero. Other zeros are not skipped, as gonum does in A: 0 times NaN, or an infinity, is NaN
// here. Calls passed to gonum have gonum's bits, which differ between architectures. The shape
// alone decides which calls these are.
//
// # Threads
//
// A call of some million multiply-adds or more is shared among as many goroutines as GOMAXPROCS
// leaves idle when it begins. All concurrent calls of this package count, so a program that
// keeps all processors busy with them gets no helpers. A call does not wait for a goroutine
// that finds no processor.
package blas
