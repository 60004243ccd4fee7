// Package fault has the errors about what a caller gives: a matrix, an option.
package fault

import (
	"errors"
	"fmt"
	"math"
)

// Sentinels that a caller may test for with errors.Is. The errors returned wrap them
// with the argument, the place and what to do.
var (
	ErrShape  = errors.New("bad shape")
	ErrOption = errors.New("bad option")
	ErrValue  = errors.New("bad value")
)

// ValueError names an entry of a matrix that cannot be factored, or a row or column of M without an observed entry, whose
// factors are not determined.
type ValueError struct {
	Matrix   string
	Row, Col int // from 0; a row without an observed entry has Col -1, and a column Row -1
	Value    float64
}

// Error names the place as the readers of files do, counting from 1.
func (e *ValueError) Error() string {
	if e.Row < 0 || e.Col < 0 {
		line, at := "row", e.Row
		if e.Row < 0 {
			line, at = "column", e.Col
		}
		return fmt.Sprintf("%v: %s %d of %s has no observed entry (of positive weight), so that its factors are not determined; remove it", ErrValue, line, at+1, e.Matrix)
	}
	what := "not finite; remove or impute it"
	if e.Value < 0 && !math.IsInf(e.Value, 0) {
		what = "negative"
	}
	return fmt.Sprintf("%s is %s", Entry(e.Matrix, e.Row, e.Col, e.Value), what)
}

// Entry names an entry of a matrix, given from 0, in a message.
func Entry(name string, i, j int, x float64) string {
	return fmt.Sprintf("row %d, column %d of %s = %v", i+1, j+1, name, x)
}

// Unwrap makes errors.Is(err, ErrValue) true.
func (e *ValueError) Unwrap() error { return ErrValue }

// Bad returns an error that wraps ErrOption.
func Bad(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrOption}, args...)...)
}

// InRange returns an error if one of the measures of V W is not finite.
func InRange(measures ...float64) error {
	for _, x := range measures {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: V W is beyond the range of its numbers; scale M or the start", ErrValue)
		}
	}
	return nil
}

// Unread returns the error for a matrix whose entries are still to be read.
func Unread() error {
	return Bad("M is unread, which is for estimates and defaults; read it")
}
