// Package main is the C library of nmu: `bash capi/build DIR` makes libnmu.so,
// libnmu.dylib or libnmu.dll, and puts nmu.h beside it, which is its documentation.
//
//	nmu.h      the interface; a test compares it with what is exported
//	export.c   its functions: they check for a fork and set the floating-point environment
//	calls.go   their call in Go; what each does is in factor.go, transform.go, comparison.go and the like
//	options.go options, cancellation, progress
//	input.go   a matrix in memory or in a file, with what counts of it, and fixed factors
//	results.go results, whose fields internal/options lists
//
// It needs a C compiler, and without cgo it is an empty program.
package main

func main() {}
