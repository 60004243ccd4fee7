// Package run runs a method on a matrix: from one start after the other, or from several
// side by side, block after block of factors if it is a recursion, within its limits, with
// progress reports and checkpoints. It knows neither how M is stored (core.Storage) nor what
// an algorithm does (package method), nor the type of the numbers.
//
//	Job          what all restarts share: limits, progress, the best result
//	  worker     a place where restarts run one after the other: the recursion
//	    checkpointer    how far the present one has come, and from where it goes on
package run
