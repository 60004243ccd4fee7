package lnmu

import (
	"nmu/lnmu/internal/codec"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// Errors that a caller may test for with errors.Is. The errors returned wrap
// them with the argument, the place and what to do.
var (
	ErrShape  = fault.ErrShape
	ErrOption = fault.ErrOption
	ErrValue  = fault.ErrValue

	// ErrCheckpoint is wrapped by the error about a state that is damaged, or that comes from
	// another matrix, method or settings.
	ErrCheckpoint = codec.ErrDamaged

	// ErrProcess is wrapped by the error about another process that refused its part, or
	// that ended.
	ErrProcess = group.ErrProcess
)

// ValueError says which entry of a matrix cannot be factored: its Matrix by name, Row and
// Col from 0, and Value. Row or Col is -1 for a column or row of M without an observed entry. It wraps ErrValue.
type ValueError = fault.ValueError
