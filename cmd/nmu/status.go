package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"nmu/lnmu"
)

// Exit statuses. Those of signals are what a shell reports for a process that one
// ended.
const (
	exitError       = 1   // of the data, a file or the machine
	exitUsage       = 2   // of the command line
	exitUnconverged = 3   // --tol was asked for, and a limit came first
	exitHungUp      = 129 // by SIGHUP
	exitInterrupted = 130 // by Ctrl-C
	exitTerminated  = 143 // by SIGTERM
)

// statusHelp says what the exit statuses are.
const statusHelp = `The exit status is 0 for success, 1 for an error of the data, a file or the machine,
2 for a command line that cannot be meant, and 3 if --tol was given and a limit of
iterations or time came before it was reached; the results are there then. Ctrl-C,
SIGTERM and SIGHUP end a command early, with the status 130, 143 or 129; what is
finished is saved first. A second Ctrl-C ends it at once.`

// usageError is an error of the command line.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// misuse marks an error as one of the command line; nil stays nil.
func misuse(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// Signals that end a command early. SIGHUP is 1 on every Unix and never comes elsewhere.
// On Windows SIGTERM stands for a console that is closed, the end of a
// session and a shutdown.
const (
	sigHangup    = syscall.Signal(1)
	sigTerminate = syscall.SIGTERM
)

// interruptError is wrapped by the error of a command that a signal ended early.
type interruptError struct{ signal os.Signal }

// interrupt returns the error of a command that the signal s ended early.
func interrupt(s os.Signal) error { return &interruptError{s} }

func (e *interruptError) Error() string {
	switch e.signal {
	case sigHangup:
		return "interrupted by SIGHUP"
	case sigTerminate:
		return "interrupted by SIGTERM"
	}
	return "interrupted"
}

// status returns the exit status that a shell reports for a process that the
// signal ended.
func (e *interruptError) status() int {
	switch e.signal {
	case sigHangup:
		return exitHungUp
	case sigTerminate:
		return exitTerminated
	}
	return exitInterrupted
}

// signalOf returns the signal of an exit status, or nil.
func signalOf(status int) os.Signal {
	switch status {
	case exitHungUp:
		return sigHangup
	case exitInterrupted:
		return os.Interrupt
	case exitTerminated:
		return sigTerminate
	}
	return nil
}

// processError is the error of another process of the run, with its exit status.
type processError struct {
	process int
	text    string
	status  int
}

func (e *processError) Error() string { return fmt.Sprintf("process %d: %s", e.process, e.text) }

// unconvergedError is the error of a run that --tol did not end. Its results are good.
type unconvergedError struct{ stop lnmu.Stop }

func (e *unconvergedError) Error() string {
	return fmt.Sprintf("--tol was not reached; the run was ended by its limit of %s", map[lnmu.Stop]string{
		lnmu.StopIterations: "iterations (--iters)", lnmu.StopTime: "time (--time-limit)",
	}[e.stop])
}

// unconverged returns an error if a limit has ended what a tolerance should have.
func unconverged(asked bool, stop lnmu.Stop) error {
	if asked && (stop == lnmu.StopIterations || stop == lnmu.StopTime) {
		return &unconvergedError{stop}
	}
	return nil
}

// statusOf returns the exit status for an error of a command; begun is false if it was
// refused before it began.
func statusOf(err error, begun bool) int {
	var early *interruptError
	var usage *usageError
	var limit *unconvergedError
	var other *processError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &other):
		return other.status
	case errors.As(err, &early):
		return early.status()
	case errors.As(err, &limit):
		return exitUnconverged
	case !begun, errors.As(err, &usage), errors.Is(err, lnmu.ErrOption):
		return exitUsage
	}
	return exitError
}

// begunKey is where a context keeps whether a command has begun.
type begunKey struct{}

// withBegun returns a context in which begin notes that a command has begun, by setting
// begun.
func withBegun(ctx context.Context, begun *bool) context.Context {
	return context.WithValue(ctx, begunKey{}, begun)
}

// begin notes that a command has begun: its flags and arguments could be read.
func begin(ctx context.Context) {
	if begun, ok := ctx.Value(begunKey{}).(*bool); ok {
		*begun = true
	}
}
