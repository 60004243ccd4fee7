// Package main is the C library of nmu: `bash capi/build DIR` makes libnmu.so,
// libnmu.dylib or libnmu.dll, and puts nmu.h beside it, which is its documentation.
//
//	nmu.h        the interface, written by hand; a test compares it with what is exported
//	export.c     its functions: they check for a fork and set the floating-point environment
//	calls.go     what these call; likewise transform.go, update.go, rank.go, consensus.go,
//	             estimate.go, inspect.go, model.go
//	structs.go   structs that begin with their size, texts, errors
//	matrix.go    matrices of the caller, in and out
//	layout.go    whether they fit the address space
//	input.go     a matrix in memory or in a file
//	options.go   options, cancellation, progress
//	missing.go   masks, weights, fixed factors
//	checkpoint.go states of a run in files
//	results.go   fields of results
//
// It needs a C compiler, and without cgo it is an empty program.
package main

func main() {}
