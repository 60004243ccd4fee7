// Package source holds a dense matrix M as a caller gives it: in memory or behind a reader, by
// rows or by columns, whole or in parts, with its mask and weights. It checks every entry, and
// computes the norm of M, before a run begins.
//
//	source.go         the lines, rows and columns of M
//	opened.go         M as a run takes it, dense or sparse: what a storage offers before the run
//	norm.go           the norm of M in memory
//	files.go          the same for M behind a reader
//	check.go          the check of its rows, of which processes may have parts
//	weightednorm.go   the norm if entries have weights
package source
