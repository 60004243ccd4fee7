// Package lnmu factors nonnegative matrices: nonnegative matrix factorization
// (NMF) and nonnegative matrix underapproximation (NMU) after N. Gillis and
// F. Glineur, Using underapproximations for sparse nonnegative matrix
// factorization (Pattern Recognition 43, 2010).
//
//	m := lnmu.NewDense(4, 3, []float64{1, 0, 1, 1, 0, 1, 0, 2, 2, 0, 2, 2})
//	res, err := lnmu.Factor(ctx, m, 2, lnmu.NMF{}, nil)
//	// res.V is 4 x 2, res.W is 2 x 3, and res.RelativeError is ||M - V W|| / ||M||.
//
// These functions do the work:
//
//	Factor      factors M from starts that are drawn, and FactorFrom from a given start
//	Continue    adds factors to a finished recursion
//	Transform   finds the weights W of new columns in a given basis V
//	Update      goes on with new columns, without the earlier ones
//	Measure     computes the error and the violation of given factors, which Improve improves
//
// A method is a value with its own options: NMF, GNMU, RNMU, SNMF, Hoyer or KL. Settings hold the
// options of a run, which are the same for all methods; nil stands for the defaults. M is a Dense, a
// Strided, a CSR, a Stored or a StoredCSR, or a pointer to one. Two wrappers add to it: Observed holds
// missing entries or weights, and Part the share of one of several processes.
//
// # The problem
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
