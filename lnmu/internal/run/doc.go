// Package run runs a method on a matrix, with restarts, limits, progress reports and
// checkpoints. It holds the recursion: block after block of factors. It knows neither how M
// is stored (core.Storage), nor the algorithm (package method), nor the type of the numbers.
//
//	Job                 shared by all restarts: limits, progress, the best result
//	  worker            runs one restart after the other: the recursion
//	    checkpointer    saves the state of the present restart, and resumes it
package run
