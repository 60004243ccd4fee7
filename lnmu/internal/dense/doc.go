// Package dense has the problems on a dense matrix M, in memory or in files, complete or
// with missing entries or weights: HALS steps, updates of the multipliers, residuals. The
// algorithms are in package method.
//
//	Storage     M as one run works on it
//	  place     M and its residual, in the layout of the passes, on some threads
//	    solver  a problem: N, V and W; a pass makes a HALS step
//
// A pass goes over the lines of N, the rows of a tall M or the columns of a wide one, a block at
// a time, while the block is in cache: see the documentation of package lnmu. The factor with
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
//	open.go, place.go, files.go, access.go  M in memory or in files, for one run
//	state.go      what a checkpoint keeps
//	cost.go       the memory of all of these
//	whole.go      a factor gathered from all processes
package dense
