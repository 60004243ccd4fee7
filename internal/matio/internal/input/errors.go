package input

import (
	"errors"
	"fmt"
)

// Errors that the errors of the readers wrap.
var (
	// ErrFormat reports a file that breaks the rules of its format or is
	// truncated. The message names the place.
	ErrFormat = errors.New("malformed file")
	// ErrUnsupported reports a sound file of a kind that is not read.
	ErrUnsupported = errors.New("not supported")
	// ErrVar reports a variable that is missing or ambiguous. The message lists the variables
	// of the file.
	ErrVar = errors.New("no such variable")
	// ErrTooLarge reports sizes that exceed what this machine can hold or the memory limit, or
	// that are out of proportion to the file.
	ErrTooLarge = errors.New("too large")
	// ErrPrecision reports numbers that single precision would turn into zeros.
	ErrPrecision = errors.New("beyond the precision")
)

// foreignError reports a file of a known type that is not read. It wraps ErrUnsupported.
type foreignError struct{ path, what, instead string }

// Error says what the file is and what to do instead.
func (e *foreignError) Error() string { return e.path + " is " + e.what + "; " + e.instead }

// Unwrap returns ErrUnsupported.
func (e *foreignError) Unwrap() error { return ErrUnsupported }

// Foreign returns an error that wraps ErrUnsupported for a file of another type. what names the
// type, as in "an Excel workbook", and instead says what to do.
func (f *File) Foreign(what, instead string) error { return &foreignError{f.Path, what, instead} }

// VarError reports a file of several variables when none was chosen, or a file that lacks the
// chosen one. It wraps ErrVar.
type VarError struct {
	Path   string
	Asked  string   // the variable asked for; "" if there was none
	Absent string   // the usual variable of the file, which it lacks; else ""
	Names  []string // of the matrices in the file, 20 at most

	Listed string // what there is, with shapes
}

// Error lists the variables.
func (e *VarError) Error() string {
	if e.Asked == "" {
		return fmt.Sprintf("%s %s: %s", e.Path, e.Question(), e.Listed)
	}
	return fmt.Sprintf("%s: variable %q: the file has %s: %v", e.Path, e.Asked, e.Listed, ErrVar)
}

// Question says why a variable must be chosen.
func (e *VarError) Question() string {
	if e.Absent != "" {
		return "has no " + e.Absent + "; choose another matrix"
	}
	return "holds several matrices; choose one"
}

// Unwrap returns ErrVar.
func (e *VarError) Unwrap() error { return ErrVar }
