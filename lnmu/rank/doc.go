// Package rank compares ranks for a factorization, to choose one.
//
//	observed entries --> folds: each is held out once
//	        |              |
//	        |              +--> a run without it, for each rank --> error at what it holds out
//	        |                                                        |
//	        +--> runs of all of them ------> training error          +--> advice
//	                    |                        |                   |
//	                    |                        +--> its elbow -----+
//	                    +--> their factors, compared --> stability, consensus
//
// The held-out error falls while further factors find structure of M, and rises when they fit
// noise (S. Wold, Cross-validatory estimation of the number of components, 1978; for entries at
// random, "speckled", A. Owen and P. Perry, Bi-cross-validation of the SVD and the nonnegative
// matrix factorization, 2009). The advice is the smallest rank that is within one standard
// error of the best. A held-out error that is least at the largest rank, or at the one before
// it, sets no limit. The advice is then the elbow of the training error, if it is clear and
// stability falls from there.
//
// Stability says whether the factors are reproducible: the factors of a rank that is too large
// differ from start to start.
//
// A recursion (lnmu.RNMU) answers for all ranks at once: its first r factors are those
// of rank r.
package rank
