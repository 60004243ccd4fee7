package blas

import "gonum.org/v1/gonum/blas/gonum"

// Implementation is a BLAS for blas64.Use and blas32.Use. What it does not do itself,
// and what is wrong with the arguments of a call, is gonum's.
type Implementation struct{ gonum.Implementation }
