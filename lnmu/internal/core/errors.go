// Package core holds what every room of the engine needs: the errors that its callers
// tell apart.
package core

import "errors"

// Sentinels that a caller may test for with errors.Is. The errors returned wrap them
// with the argument, the place and what to do.
var (
	ErrShape  = errors.New("bad shape")
	ErrOption = errors.New("bad option")
	ErrValue  = errors.New("bad value")
)
