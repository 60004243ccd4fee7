// Package sparse has the problems on a sparse matrix M, in memory or in files: HALS steps,
// updates of the multipliers, residuals, by its stored entries alone. It knows no algorithm:
// package method begins, repeats and ends these. Package tiles has the entries.
//
//	Storage      M as one run works on it
//	  place      M, and what is left of it, on some threads
//	    problem  a solver within a restart
//	      solver N at the stored entries, one multiplier for all zeros, V and W
//
// See pass.go for a step.
package sparse
