// Package lnmu factors nonnegative matrices: nonnegative matrix factorization
// (NMF) and nonnegative matrix underapproximation (NMU) after N. Gillis and
// F. Glineur, Using underapproximations for sparse nonnegative matrix
// factorization (Pattern Recognition 43, 2010).
//
// Given M >= 0 (m x n) and a rank r, NMU looks for V >= 0 (m x r, the basis) and
// W >= 0 (r x n, the weights) that minimise ||M - V W||_F subject to V W <= M.
// The bound makes the factors sparse and local: a part can only be used where
// the whole part is there. Algorithm L-NMU relaxes it with multipliers
// Λ (m x n): it alternates T steps of hierarchical alternating least squares
// (HALS) on M - Λ with Λ <- max(0, Λ - µ_k (M - V W)), µ_k = 1/k. GNMU runs it
// at rank r, RNMU on one residual after the other, and NMF runs HALS on M itself.
//
// Beside them stand the methods that the paper compares with: NMF with l1
// penalties (SNMF) and NMF with given sparseness (Hoyer). Improve and Measure
// make solutions of different aims comparable. KL is for counts.
//
// # Methods and settings
//
// A method is a value with its own options, as RNMU{Block: 5}, and has a file of its
// own; how it is run, whichever it is, is said by Settings:
//
//	Factor(ctx, m, rank, method, settings)      from starts that are drawn
//	FactorFrom(ctx, m, v, w, method, settings)  from a given start
//	Continue(ctx, m, first, rank, ...)          more factors of a finished recursion
//
// M is a Dense, a Strided, a CSR, a Stored or a StoredCSR. What more is to be said of its
// entries is said around it: Observed says which of them are missing, or their weights, and
// Part that several processes hold a part each.
//
//	lnmu                what a program calls: sources, methods and their options, settings, results
//	  internal/run      a job: restarts, limits, progress, block after block, checkpoints
//	  internal/method   the algorithms, as the paper writes them
//	  internal/dense    problems on a dense matrix: its state, fused passes over blocks of lines
//	  internal/sparse   problems on a sparse matrix: passes over its nonzeros
//	  internal/core     what these offer to each other: problems, storages, factors
//
// A method has a file of its own: its options, its description, and the function that
// finds the factors of a problem. It knows neither how M is stored, nor who shares it, nor
// what is observed of it, nor float32 from float64. A problem knows no method: it makes HALS
// steps, updates multipliers, and sums up residuals. Their seam is one HALS step, since the
// products in it are one pass over M. What serves all of them lies in further packages, in
// layers that a test holds:
//
//	block   the lines of a dense M and N, from memory or from files
//	tiles   the nonzeros of a sparse M and what is beside them, likewise
//	state   the codec of checkpoints
//	group   sums over slabs, threads and processes; one process is a group of one
//	tree    the order of these sums
//	outline, source        the shape of M, the part of a process; a dense M as it was given
//	combination, check     what goes together, and why not; options
//	hals, multiply         sweeps, multiplicative updates
//	start, matrix, support random starts, copies, the zeros of a factor
//	exact, prior, median   steps of one factor: within M, under what is known of it, in l1
//	observed               which entries count: masks, weights, Gram matrices of lines
//	qp, spectral           quadratic programs, small eigenvalue problems
//
// # The state
//
// With N = M - Λ the multiplier update reads
//
//	N <- min(M, N + µ_k (M - V W))
//
// so N is kept and Λ never formed. Row i of V in a HALS step depends only on row
// i of N and on W, so one pass over N does a whole step, a block I of rows at a
// time, while the block is in cache:
//
//	  N_I <- min(M_I, N_I + µ (M_I - V_I W))     once per iteration
//	  A_I  = N_I Wᵀ
//	  V_I <- HALS sweep with A_I and B = W Wᵀ     equation (halsV)
//	  C   += V_Iᵀ N_I
//	  D   += V_Iᵀ V_I
//
//	and after the last block
//
//	  W <- HALS sweep with C and D                equation (halsW)
//
// If M is wide, the same passes run over its columns. The rows are cut into
// slabs for the threads, as many as follow from their number alone. What the slabs
// add to C, to D, or to an error is added up along a fixed binary tree over them:
// n slabs are split at the largest power of two below n, and the sum is that of
// the first part plus that of the second one. So the result is the same bit for bit
// with any number of threads, as the kernels make it the same on every processor.
//
// A recursion keeps E = M - V W of the factors so far instead of the residual
// R = max(0, E), which the kernels form as they read E; the norm of E is the
// error of the factorization.
//
// # Several processes
//
// Programs on several machines factor one M together, each with a part of its longer
// side: whole slabs, so that what their sums come to is added up along the same tree
// and the result is, bit for bit, that of one process. See Part. In the end each has its
// rows of V, or columns of W, and none the whole. A DistributedFactor gives the whole to
// process 0 in pieces, to be written where it belongs.
//
// # Exact underapproximations
//
// The factors of L-NMU exceed M by a little. Lagrangian.Feasible makes them exact,
// in floating point and without a tolerance, by quadratic programs that are
// solved exactly; see Feasible for what it costs and what is guaranteed.
//
// Factor does the same for a sparse M, a CSR, with multipliers for the stored
// entries only and one for all zeros.
//
// # Degenerate cases
//
// Where B_kk or D_kk is zero, column k of V or row k of W stays as it is. If all
// of V or W becomes zero in an iteration of L-NMU, the multipliers have grown
// too large: the factors of the iteration before are restored and Λ is halved.
// Zero rows and columns of M are legal; M = 0 gives zero factors.
package lnmu
