// Package lnmu factors nonnegative matrices: nonnegative matrix factorization
// (NMF) and nonnegative matrix underapproximation (NMU) after N. Gillis and
// F. Glineur, Using underapproximations for sparse nonnegative matrix
// factorization (Pattern Recognition 43, 2010).
//
// Given M >= 0 (m x n) and a rank r, NMU looks for V >= 0 (m x r, the basis) and W >= 0 (r x n,
// the weights) that minimise ||M - V W||_F subject to V W <= M. The constraint makes the
// factors sparse and local: a column of M can contain a part only if it contains the whole
// part. Algorithm L-NMU relaxes it with multipliers Λ (m x n): it alternates T steps of
// hierarchical alternating least squares (HALS) on M - Λ with Λ <- max(0, Λ - µ_k (M - V W)),
// µ_k = 1/k. GNMU runs it at rank r, RNMU on one residual after the other, and NMF runs HALS on
// M itself.
//
// The package also has the methods that the paper compares with: NMF with l1 penalties (SNMF)
// and NMF with given sparseness (Hoyer). KL is for counts. Improve and Measure make solutions of
// different aims comparable.
//
// # Methods and settings
//
// A method is a value with its own options, such as RNMU{Block: 5}. Settings hold the options
// of a run, which are the same for all methods:
//
//	Factor(ctx, m, rank, method, settings)      from starts that are drawn
//	FactorFrom(ctx, m, v, w, method, settings)  from a given start
//	Continue(ctx, m, first, rank, ...)          more factors of a finished recursion
//
// M is a Dense, a Strided, a CSR, a Stored or a StoredCSR. Two wrappers add to it: Observed
// holds the missing entries or weights, and Part the share of one of several processes.
//
//	lnmu                what a program calls: sources, methods and their options, settings, results
//	  internal/run      a job: restarts, limits, progress, block after block, checkpoints
//	  internal/method   the algorithms, as the paper writes them
//	  internal/dense    problems on a dense matrix: its state, fused passes over blocks of lines
//	  internal/sparse   problems on a sparse matrix: passes over its nonzeros
//	  internal/core     what these offer to each other: problems, storages, factors
//
// A method has a file of its own: its options, its description, and the function that finds the
// factors of a problem. It does not depend on the storage of M, the processes that share it,
// its missing entries, or the precision. A problem knows no method: it makes HALS steps,
// updates multipliers, and sums up residuals. The interface between them is one HALS step,
// because its products are one pass over M. Further packages serve all of them, in layers that
// a test checks:
//
//	block                   the lines of a dense M and N, from memory or from files
//	tiles                   the nonzeros of a sparse M and what is beside them, likewise
//	state, codec            the fields of checkpoints, and how they are written and read
//	fault                   errors about what a caller gives
//	group                   sums over slabs, threads and processes; one process is a group of one
//	tree                    the order of these sums
//	outline, source         the shape of M, the part of a process; a dense M as it was given
//	engine                  the storages, compiled for float32 and float64
//	combination, check      what goes together, and why not; options
//	hals, poisson           sweeps, steps by the divergence
//	start, matrix, support  random starts, copies, the zeros of a factor
//	exact, prior, median    steps of one factor: within M, under what is known of it, in l1
//	observed                which entries count: masks, weights
//	qp, spectral            quadratic programs, small eigenvalue problems
//	several, agreement      many runs, and how far they agree: for packages rank and consensus
//
// # The state
//
// With N = M - Λ the multiplier update reads
//
//	N <- min(M, N + µ_k (M - V W))
//
// so N is stored and Λ is never formed. Row i of V in a HALS step depends only on row i of N
// and on W, so one pass over N does a whole step, a block I of rows at a time, while the block
// is in cache:
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
// If M is wide, the same passes run over its columns. The threads share slabs of rows, whose
// number depends on the number of rows alone. The contributions of the slabs to C, to D and to
// an error are added along a fixed binary tree: n slabs are split at the largest power of two
// below n, and the sum of the first part is added to that of the second. So the bits do not
// depend on the number of threads; the kernels make them the same on every processor.
//
// A sparse M, a CSR, has a multiplier for each stored entry, and one for all zeros.
//
// A recursion stores E = M - V W for the factors so far. The kernels form the residual R =
// max(0, E) when they read E. The norm of E is the error of the factorization.
//
// # Several processes
//
// Processes on several machines factor one M together. Each holds whole slabs of its longer
// side. Sums follow the same tree, so the result has the bits of one process; see Part. At the
// end each process has its rows of V, or columns of W, and none has the whole. A
// DistributedFactor passes the whole to process 0 in pieces.
//
// # Exact underapproximations
//
// The factors of L-NMU exceed M by a little. Lagrangian.Feasible guarantees V W <= M in
// floating point, without a tolerance, by quadratic programs; see Feasible for the costs.
//
// # Degenerate cases
//
// Where B_kk or D_kk is zero, column k of V or row k of W stays as it is. If all
// of V or W becomes zero in an iteration of L-NMU, the multipliers have grown
// too large: the factors of the iteration before are restored and Λ is halved.
// Zero rows and columns of M are legal; M = 0 gives zero factors.
package lnmu
