package input

import (
	"errors"
	"fmt"
)

// Errors that those of the readers wrap.
var (
	// ErrFormat reports a file that breaks the rules of its format or is
	// truncated. The message names the place.
	ErrFormat = errors.New("malformed file")
	// ErrUnsupported reports a sound file of a kind that is not read.
	ErrUnsupported = errors.New("not supported")
	// ErrVar reports a variable that is missing or not determined. The message
	// lists those there are.
	ErrVar = errors.New("no such variable")
	// ErrTooLarge reports sizes that this machine cannot hold, that are more than
	// the limit of memory or that are out of proportion to the file.
	ErrTooLarge = errors.New("too large")
	// ErrPrecision reports numbers that would be lost in single precision.
	ErrPrecision = errors.New("beyond the precision")
)

// VarError is the error, which wraps ErrVar, for a file of several variables none of
// which was asked for, or that lacks the one that was.
type VarError struct {
	Path  string
	Asked string   // the variable asked for; "" if there was none
	Names []string // of the matrices in the file, 20 at most

	listed string // what there is, in words
}

// Error lists the variables.
func (e *VarError) Error() string {
	if e.Asked == "" {
		return fmt.Sprintf("%s: name one of the variables %s: none given: %v", e.Path, e.listed, ErrVar)
	}
	return fmt.Sprintf("%s: variable %q: the file has %s: %v", e.Path, e.Asked, e.listed, ErrVar)
}

// Unwrap returns ErrVar.
func (e *VarError) Unwrap() error { return ErrVar }
