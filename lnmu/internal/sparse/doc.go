// Package sparse has the problems on a sparse matrix M, in memory or in files: HALS steps,
// updates of the multipliers, residuals, by its stored entries alone. It knows no algorithm:
// what begins, ends and repeats these is package method's.
//
//	CSR         M as it was given
//	Input       M as the processes have handed it out, in tiles
//	Storage     M as one run works on it
//	  place     M, and what is left of it, on some threads
//	    solver  a problem: N at the stored entries, one multiplier for all zeros, V and W
//
// A tile has some rows of M, or of its transpose if it is wide, in a block of columns, whose
// vectors of the other factor stay in cache; see pass.go for a step, tiles.go for the tiles and
// store.go for their files.
package sparse
