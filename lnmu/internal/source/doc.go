// Package source has a dense matrix M as it was given: in memory or behind a reader, by rows or
// by columns, whole or the part of a process, with the entries of it that count. It checks
// every entry, and forms the norm of M, before a run begins.
//
//	source.go         the lines, rows and columns of M
//	norm.go           the norm of M in memory
//	files.go          the same for M behind a reader
//	check.go          the check of its rows, of which processes may have parts
//	weightednorm.go   the norm if entries have weights
package source
