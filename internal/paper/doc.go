// Package paper repeats the experiments of section 4 of the paper and puts every
// figure beside the printed one.
//
//	data set --> for each row of its table: the same starts for every method
//	               --> the best one, beside the printed figures
//	               --> beyond a bar: variants that may explain it, also measured
//	               --> a verdict; a finished row is kept, so that a run resumes
//
// The figures depend on the plan alone: not on the number of threads, on
// interruptions, or, but for PCA, on the processor. Nothing here is a measurement
// of speed; that is package bench, which shares with this one only how results are
// written (package render).
package paper
