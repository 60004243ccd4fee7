// Package dense has the problems on a dense matrix M, in memory or in files, complete or
// with missing entries or weights: HALS steps, updates of the multipliers, residuals. The
// algorithms are in package method.
//
//	Storage     M as one run works on it
//	  place     M and its residual, in the layout of the passes, on some threads
//	    solver  a problem: N, V and W; a pass makes a HALS step
//
// A pass goes over the lines of N, the rows of a tall M or the columns of a wide one, a block at
// a time, while the block is in cache. The factor with
// one column for each line is the long one, the other one is short.
//
//	solver.go     the state of a problem, and what problems on one matrix share
//	pass.go       the pass, for one factor and for several
//	observed.go, grams.go    what a pass does where M is incomplete
//	hals.go, relaxed.go, augmented.go, accelerated.go, penalised.go    what methods ask of a problem
//	priors.go, exact.go, l1.go    steps that need whole lines
//	divergence.go, coordinates.go    steps of KL
//	start.go                         starting factors
//	measure.go, residual.go, products.go    the error, N and products of whole matrices
//	transform.go  the weights of new columns
//	open.go, place.go, access.go  M in memory or in files, for one run
//	state.go      what a checkpoint keeps
//	whole.go      a factor gathered from all processes
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
package dense
