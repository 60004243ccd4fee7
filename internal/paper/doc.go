// Package paper repeats the experiments of section 4 of the paper and puts every
// figure beside the printed one.
//
//	data set --> for each row of its table: the same starts for every method
//	               --> the best one, beside the printed figures
//	               --> beyond a bar: variants that may explain it, also measured
//	               --> a verdict; a finished row is kept, so that a run resumes
//
// The figures depend only on the plan: not on the number of threads, on interruptions, or,
// except for PCA, on the processor. This package does not measure speed. Package bench does,
// and shares with it only package render, which writes results.
package paper
