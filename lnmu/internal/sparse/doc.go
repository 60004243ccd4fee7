// Package sparse has the problems on a sparse matrix M, in memory or in files. It makes HALS
// steps, updates multipliers and sums up residuals from the stored entries alone. The algorithms
// are in package method. The entries are in package tiles.
//
//	Storage      M as one run works on it
//	  place      M and its residual, on some threads
//	    problem  a solver within a restart
//	      solver N at the stored entries, one multiplier for all zeros, V and W
//
// See pass.go for a step.
package sparse
