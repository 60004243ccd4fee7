// Package dense has the problems on a dense matrix M, in memory or in files, complete or
// with missing entries or weights: HALS steps, updates of the multipliers, residuals. It
// knows no algorithm: what begins, ends and repeats these is package method's.
//
//	Storage     M as one run works on it
//	  place     M, and what is left of it, in the layout of the passes, on some threads
//	    solver  a problem: N, V and W; a pass makes a HALS step
//
// A pass goes over the lines of N, the rows of a tall M or the columns of a wide one, a block at
// a time, while the block is in cache: see the documentation of package lnmu. The factor with
// one column for each line is the long one, the other one is short.
//
//	solver.go     the state of a problem, and what problems on one matrix share
//	pass.go       the pass, for one factor and for several
//	observed.go   what a pass does where M is incomplete
//	relaxed.go, augmented.go, accelerated.go, penalised.go    what methods ask of a problem
//	priors.go, exact.go, l1.go    steps that look at whole lines
//	whole.go      the whole of a factor of which processes have parts
package dense
