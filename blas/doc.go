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
//	level 3   gemm symm   syrk syr2k   trmm trsm
//	              ^           |            |
//	              |        strips       halves
//	              +-----------+------------+
//	level 2   gemv, and ger where an increment is negative
//	level 1   dot, nrm2, axpy, scal of contiguous vectors
//
// It passes everything else to gonum. This includes bad arguments, which panic with gonum's
// messages, calls without work, and calls so small that gonum is faster: products of less than
// some hundred multiply-adds, vectors of less than some hundred elements. Passing a call on
// costs one or two nanoseconds. Of products of at most 4 x 4 x 4 that would be up to a
// twentieth: a plain loop computes these, in half to all of gonum's time.
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
// threads. A product first multiplies an entry of C by beta, or sets it to zero if beta is 0.
// Then it adds the products of a row of alpha A and a column of B in the order of the inner
// index, each by a fused multiply-add. There are two exceptions. If no extent is more than 4,
// the products are rounded before they are added. If the inner extent is at least 16, and C has
// fewer than six rows and B is transposed, or C has fewer than six columns and A is not
// transposed, a product adds alpha times a sum in 64 bytes of lanes (package kernel).
// The triangles of syrk and syr2k and the result of symm have the bits of the products that
// define them. trmm and trsm multiply B by alpha and halve the triangle recursively, down to
// 24 rows. trsm multiplies by the reciprocals of the diagonal. nrm2 is the root of a sum of
// squares in lanes, unless the sum may overflow or underflow.
//
// If alpha is 0, A and B are not read: C is multiplied by beta, and B of trmm and trsm is set
// to zero. Gonum skips other zeros of A; this package does not, so 0 times NaN or an infinity
// is NaN. Calls passed to gonum have gonum's bits, which differ between architectures. The
// shape alone decides which calls are passed.
//
// # Threads
//
// A call of about a million multiply-adds or more uses the threads that GOMAXPROCS leaves idle
// when the call begins. All concurrent calls of this package count as busy threads, so a program
// that keeps all processors busy with such calls gets no helpers. A call does not wait for a
// helper that has not started.
package blas
