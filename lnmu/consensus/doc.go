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
// minima, and nothing of the noise. With Columns and Poisson they are percentiles of a bootstrap. A
// count of 0 stays 0 in all runs. So an interval also reaches up to the entry that gives no count with a
// probability of (1 - level)/2: 3.7 counts for a level of 0.95. With Columns the unit of the counts is
// the variance of M - V W over its mean. With weights there is no such limit.
package consensus
