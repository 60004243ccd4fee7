package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

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
			cancel(interrupt(s))
		case s := <-others:
			cancel(interrupt(s))
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
	return interrupt(os.Interrupt)
}

// markInterrupted adds the interruption to an error that it caused.
func markInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", interruption(ctx), err)
	}
	return err
}
