package lnmu

import (
	"fmt"
	"math"

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

	// ErrCheckpoint is wrapped by the error about a state that no run of the same
	// matrix, method and settings has saved, or that is damaged.
	ErrCheckpoint = state.ErrDamaged

	// ErrProcess is wrapped by the error about what another process has refused, or has
	// ended.
	ErrProcess = group.ErrProcess
)

// ValueError says which entry of a matrix cannot be factored.
type ValueError struct {
	Matrix   string
	Row, Col int // from 0
	Value    float64
}

// Error names the place as the readers of files do, counting from 1.
func (e *ValueError) Error() string {
	what := "not finite; remove or impute it"
	if e.Value < 0 && !math.IsInf(e.Value, 0) {
		what = "negative; shift or clip the data"
	}
	return fmt.Sprintf("%s is %s", entry(e.Matrix, e.Row, e.Col, e.Value), what)
}

// entry names an entry of a matrix, given from 0, in a message.
func entry(name string, i, j int, x float64) string {
	return fmt.Sprintf("row %d, column %d of %s = %v", i+1, j+1, name, x)
}

// Unwrap makes errors.Is(err, ErrValue) true.
func (e *ValueError) Unwrap() error { return ErrValue }
