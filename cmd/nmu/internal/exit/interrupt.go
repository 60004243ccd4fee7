package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

// Interruptible returns a context that Ctrl-C, SIGTERM and SIGHUP cancel. Signals
// that are ignored, as SIGHUP is below nohup, stay so. After that Ctrl-C ends the
// process. SIGTERM and SIGHUP do nothing more: a terminal that is closed sends
// SIGHUP more than once, timeout(1) sends SIGTERM twice.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	first, others := make(chan os.Signal, 1), make(chan os.Signal, 1)
	Notify(first, os.Interrupt)
	Notify(others, Terminate, Hangup)
	go func() {
		select {
		case s := <-first:
			cancel(Interrupt(s))
		case s := <-others:
			cancel(Interrupt(s))
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

// Notify relays those of the signals to c that are not ignored.
func Notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// Interruption returns the error of a command whose context is cancelled.
func Interruption(ctx context.Context) error {
	var e *InterruptError
	if errors.As(context.Cause(ctx), &e) {
		return e
	}
	return Interrupt(os.Interrupt)
}

// MarkInterrupted adds the interruption to an error that it caused.
func MarkInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", Interruption(ctx), err)
	}
	return err
}
