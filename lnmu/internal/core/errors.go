// Package core declares the interfaces between the packages of the engine: problems for
// methods (problem.go), storages for runs (place.go), factors, and the errors that callers
// tell apart. An interface has a number type only if it hands out numbers: algorithms do not
// know float32 from float64.
package core

import "errors"

// Sentinels that a caller may test for with errors.Is. The errors returned wrap them
// with the argument, the place and what to do.
var (
	ErrShape  = errors.New("bad shape")
	ErrOption = errors.New("bad option")
	ErrValue  = errors.New("bad value")
)
