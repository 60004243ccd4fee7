package lnmu

import (
	"errors"
	"fmt"
	"math"
)

// Errors that a caller may test for with errors.Is. The errors returned wrap
// them with the argument, the place and what to do.
var (
	ErrShape  = errors.New("bad shape")
	ErrOption = errors.New("bad option")
	ErrValue  = errors.New("bad value")

	// ErrCheckpoint is wrapped by the error about a state that no run of the same
	// matrix, method and settings has saved, or that is damaged.
	ErrCheckpoint = errors.New("bad checkpoint")

	// ErrProcess is wrapped by the error about what another process has refused, or has
	// ended.
	ErrProcess = errors.New("another process")
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
