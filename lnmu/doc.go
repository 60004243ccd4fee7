// Package lnmu factors nonnegative matrices: M ≈ V W with V, W >= 0 (NMF), or with V W <= M as well (NMU),
// after N. Gillis and F. Glineur, Using underapproximations for sparse nonnegative matrix
// factorization (Pattern Recognition 43, 2010).
//
//	m := lnmu.NewDense(4, 3, []float64{1, 0, 1, 1, 0, 1, 0, 2, 2, 0, 2, 2})
//	res, err := lnmu.Factor(ctx, m, 2, lnmu.NMF{}, nil)
//	// res.V is 4 x 2, res.W is 2 x 3, and res.RelativeError is ||M - V W|| / ||M||.
//
// Five functions do the work:
//
//	Factor             factors M
//	Transform          finds the weights W of new columns in a given basis V
//	Update             goes on with new columns, without the earlier ones
//	compare.HeldOut    compares ranks by the error at entries that a run did not see
//	Measure            computes the error and the violation of given factors
//
// FactorFrom begins at a given start, Result.Continue adds factors to a finished recursion, Result.Improve is the paper's
// comparison of zeros, and compare.Stability compares ranks by what many runs have in common. A method is a
// value with its own options: NMF, GNMU, RNMU, SNMF, Hoyer or KL. Settings hold the options of a run, which are
// the same for all methods; nil stands for the defaults. M is a Dense, a Strided, a CSR, or in files (StoredFrom,
// StoredCSRFrom). An Observed around it holds missing entries or weights, and
// package distributed factors one M in several processes.
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
// and NMF with given sparseness (Hoyer). KL is for counts. Result.Improve and Measure make solutions of
// different aims comparable.
//
// # Exact underapproximations
//
// The factors of L-NMU exceed M by a little. GNMU.Feasible guarantees V W <= M in
// floating point, without a tolerance, by quadratic programs; see FeasibleFinal for the costs.
//
// # Degenerate cases
//
// Where B_kk or D_kk is zero, column k of V or row k of W stays as it is. If all
// of V or W becomes zero in an iteration of L-NMU, the multipliers have grown
// too large: the factors of the iteration before are restored and Λ is halved.
// Zero rows and columns of M are legal; M = 0 gives zero factors.
package lnmu
