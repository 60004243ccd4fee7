package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"nmu/internal/process"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// Exit statuses. For a signal, the status is the one that a shell reports: 128 plus the
// number of the signal.
const (
	StatusError       = 1   // of the data, a file or the machine
	StatusUsage       = 2   // of the command line
	StatusUnconverged = 3   // --tolerance was asked for, and a limit came first
	StatusHungUp      = 129 // by SIGHUP
	StatusInterrupted = 130 // by Ctrl-C
	StatusTerminated  = 143 // by SIGTERM
)

// Help describes the exit statuses.
const Help = `The exit status is 0 for success, 1 for an error of the data, a file or the machine,
and 2 for a usage error. It is 3 if --tolerance was given but the limit of iterations or
time came first; the results are written all the same. Ctrl-C, SIGTERM and SIGHUP
save finished results and end a command with status 130, 143 or 129. A second signal
ends it at once; SIGTERM and SIGHUP need half a second between the two.`

// usageError is an error of the command line.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// Misuse marks an error as one of the command line; nil stays nil.
func Misuse(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// Signals that end a command early. SIGHUP is 1 on every Unix and never comes elsewhere.
// On Windows SIGTERM stands for a console that is closed, the end of a
// session and a shutdown.
const (
	Hangup    = syscall.Signal(1)
	Terminate = syscall.SIGTERM
)

// InterruptError is wrapped by the error of a command that a signal ended early.
type InterruptError struct{ signal os.Signal }

// Interrupt returns the error of a command that the signal s ended early.
func Interrupt(s os.Signal) error { return &InterruptError{s} }

func (e *InterruptError) Error() string {
	switch e.signal {
	case Hangup:
		return "interrupted by SIGHUP"
	case Terminate:
		return "interrupted by SIGTERM"
	}
	return "interrupted"
}

// Status returns the exit status that a shell reports for a process that the
// signal ended.
func (e *InterruptError) Status() int {
	switch e.signal {
	case Hangup:
		return StatusHungUp
	case Terminate:
		return StatusTerminated
	}
	return StatusInterrupted
}

// unconvergedError is the error of a run that --tolerance did not end. Its results are good.
type unconvergedError struct{ stop outcome.Stop }

func (e *unconvergedError) Error() string {
	return fmt.Sprintf("--tolerance was not reached; the run was ended by its limit of %s", map[outcome.Stop]string{
		outcome.StopIterations: "iterations (--iterations)", outcome.StopTime: "time (--time-limit)",
	}[e.stop])
}

// Unconverged returns an error if --tolerance was given (asked) and a limit ended the run first.
func Unconverged(asked bool, stop outcome.Stop) error {
	if asked && (stop == outcome.StopIterations || stop == outcome.StopTime) {
		return &unconvergedError{stop}
	}
	return nil
}

// Status returns the exit status for an error of a command. If begun is false, the command
// was refused before it began.
func Status(err error, begun bool) int {
	var early *InterruptError
	var usage *usageError
	var limit *unconvergedError
	var other *process.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &other):
		return other.Status
	case errors.As(err, &early):
		return early.Status()
	case errors.As(err, &limit):
		return StatusUnconverged
	case !begun, errors.As(err, &usage), errors.Is(err, lnmu.ErrOption):
		return StatusUsage
	}
	return StatusError
}

// begunKey is the context key of the flag that Begin sets.
type begunKey struct{}

// WithBegun returns a context in which Begin sets *begun.
func WithBegun(ctx context.Context, begun *bool) context.Context {
	return context.WithValue(ctx, begunKey{}, begun)
}

// Begin records that the flags and arguments of a command were read without error.
func Begin(ctx context.Context) {
	if begun, ok := ctx.Value(begunKey{}).(*bool); ok {
		*begun = true
	}
}
