package lnmu

import (
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// Errors that a caller may test for with errors.Is. The errors returned wrap
// them with the argument, the place and what to do.
var (
	ErrShape  = core.ErrShape
	ErrOption = core.ErrOption
	ErrValue  = core.ErrValue

	// ErrCheckpoint is wrapped by the error about a state that is damaged, or that comes from
	// another matrix, method or settings.
	ErrCheckpoint = state.ErrDamaged

	// ErrProcess is wrapped by the error about another process that refused its part, or
	// that ended.
	ErrProcess = group.ErrProcess
)

// ValueError says which entry of a matrix cannot be factored: its Matrix by name, Row and
// Col from 0, and Value. It wraps ErrValue.
type ValueError = core.ValueError
