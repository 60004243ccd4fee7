package blas

import "gonum.org/v1/gonum/blas/gonum"

// Implementation is a BLAS for blas64.Use and blas32.Use. It passes other routines, and calls
// with bad arguments, to gonum's implementation.
type Implementation struct{ gonum.Implementation }
