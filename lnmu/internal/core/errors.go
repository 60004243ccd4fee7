// Package core has what the rooms of the engine offer to each other: problems, as methods see
// them (problem.go), storages, as runs see them (place.go), factors, and the errors that
// callers tell apart. An interface here has no type of number unless its numbers are
// handed out: algorithms do not know float32 from float64.
package core

import "errors"

// Sentinels that a caller may test for with errors.Is. The errors returned wrap them
// with the argument, the place and what to do.
var (
	ErrShape  = errors.New("bad shape")
	ErrOption = errors.New("bad option")
	ErrValue  = errors.New("bad value")
)
