// Package consensus says how far the parts of a factorization can be trusted: it makes many runs
// for each rank and compares them.
//
//	M --> run 1   M itself, from another start; or columns of M drawn
//	  --> run 2   with replacement; or counts drawn from the Poisson
//	  ...         distributions with the means M
//	  --> run N
//	       |
//	       +--> parts, matched by the Hungarian method --> silhouettes: stability
//	                |
//	                +--> without outliers --> medians: V --> W, fitted to M --> error
//	                |                     --> quantiles: an interval for each entry
//	                |
//	                +--> columns of M with the same largest part --> consensus map
//
// A rank that is too large gives parts that fit the noise of a run, and are others in the next
// one. The advice is the largest rank whose parts recur.
//
// The columns of V have the sum 1 in all runs, so that W has the unit of M.
//
// Intervals show what the runs differ in. Of runs that differ in their starts alone, they show local
// minima, and nothing of the noise. With Columns and Poisson they are percentiles of a bootstrap.
// They are too narrow for entries near 0, where a run cannot go below: most where M has few
// counts.
package consensus
