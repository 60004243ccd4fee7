package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"nmu/lnmu"
)

// Signals that end a command early. SIGHUP is 1 on every Unix; elsewhere it never
// comes. On Windows SIGTERM stands for a console that is closed, the end of a
// session and a shutdown.
const (
	sigHangup    = syscall.Signal(1)
	sigTerminate = syscall.SIGTERM
)

// interruptError is wrapped by the error of a command that a signal ended early.
type interruptError struct{ signal os.Signal }

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

// interruptible returns a context that Ctrl-C, SIGTERM and SIGHUP cancel. Signals
// that are ignored, as SIGHUP is below nohup, stay so. After that Ctrl-C ends the
// process. SIGTERM and SIGHUP do nothing more: a terminal that is closed sends
// SIGHUP more than once, timeout(1) sends SIGTERM twice.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	first, others := make(chan os.Signal, 1), make(chan os.Signal, 1)
	notify(first, os.Interrupt)
	notify(others, sigTerminate, sigHangup)
	go func() {
		select {
		case s := <-first:
			cancel(&interruptError{s})
		case s := <-others:
			cancel(&interruptError{s})
		case <-ctx.Done():
		}
		signal.Stop(first)
	}()
	return ctx, func() {
		signal.Stop(first)
		signal.Stop(others)
		cancel(nil)
	}
}

// notify relays those of the signals to c that are not ignored.
func notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// interruption returns the error of a command whose context is cancelled.
func interruption(ctx context.Context) error {
	var e *interruptError
	if errors.As(context.Cause(ctx), &e) {
		return e
	}
	return &interruptError{os.Interrupt}
}

// markInterrupted adds the interruption to an error that it caused.
func markInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", interruption(ctx), err)
	}
	return err
}

// nothingError says why a run has no result.
func nothingError(ctx context.Context, stop lnmu.Stop, out string) error {
	if stop == lnmu.StopTime {
		return fmt.Errorf("--time-limit: the time was over before a factor was finished; nothing is written%s", resumable(out))
	}
	return fmt.Errorf("%w before a factor was finished; nothing is written%s", interruption(ctx), resumable(out))
}

// interruptedError says what an interruption left.
func interruptedError(ctx context.Context, rep *report, out string) error {
	where := "not written, for want of --out"
	if out != "" {
		where = "written to " + out + resumable(out)
	}
	if rep.ErrorPerRank == nil {
		return fmt.Errorf("%w: the factors as they were are %s", interruption(ctx), where)
	}
	return fmt.Errorf("%w: %d of %d factors are finished and %s", interruption(ctx), rep.Rank, rep.RankAsked, where)
}
