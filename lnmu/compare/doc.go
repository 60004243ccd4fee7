// Package compare compares factorizations: many runs at several ranks, to choose a rank and to
// say how far the factors can be trusted. There are two evaluations.
//
// HeldOut measures the error at entries that a run did not see.
//
//	observed entries --> folds: each is held out once
//	        |              |
//	        |              +--> a run without it, for each rank --> error at what it holds out
//	        |                                                        |
//	        +--> runs of all of them ------> training error          +--> advice
//	                    |                        |                   |
//	                    |                        +--> its elbow -----+
//	                    +--> their factors, compared --> stability, consensus map
//
// The held-out error falls while further factors find structure of M, and rises when they fit
// noise (S. Wold, Cross-validatory estimation of the number of components, 1978; for entries at
// random, "speckled", A. Owen and P. Perry, Bi-cross-validation of the SVD and the nonnegative
// matrix factorization, 2009). The advice is the smallest rank that is within one standard
// error of the best. A held-out error that is least at the largest rank, or at the one before
// it, sets no limit. The advice is then the elbow of the training error, if it is clear and
// stability falls from there.
//
// Stability compares the parts that many runs find.
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
// one. The advice is the largest rank whose parts recur. The columns of V have the sum 1 in all
// runs, so that W has the unit of M.
//
// Intervals show what the runs differ in. Of runs that differ in their starts alone, they show
// local minima, and nothing of the noise. With Columns and Poisson they are percentiles of a
// bootstrap. A count of 0 stays 0 in all runs. So an interval also reaches up to the entry that
// gives no count with a probability of (1 - level)/2: 3.7 counts for a level of 0.95. With
// Columns the unit of the counts is the variance of M - V W over its mean. With weights there is
// no such limit.
//
// The results depend only on M, the ranks, the method and the settings: not on the processor, the
// number of threads, or which runs are concurrent.
package compare
