package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"
)

// Interruptible returns a context that Ctrl-C, SIGTERM and SIGHUP cancel. Ignored signals
// stay ignored, for example SIGHUP under nohup. Once the context is cancelled, Ctrl-C ends
// the process at once, and so do SIGTERM and SIGHUP after a moment: a closing terminal sends
// SIGHUP more than once, and timeout(1) sends SIGTERM twice.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	first, others := make(chan os.Signal, 1), make(chan os.Signal, 1)
	ended := make(chan struct{})
	Notify(first, os.Interrupt)
	Notify(others, Terminate, Hangup)
	go func() {
		var received os.Signal
		select {
		case received = <-first:
		case received = <-others:
		case <-ctx.Done():
		}
		// Before the context ends: who sees it end may send the second signal at once.
		signal.Stop(first)
		if received != nil {
			cancel(Interrupt(received))
		}
		select {
		case <-time.After(sameSignal):
			signal.Stop(others)
		case <-ended:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		close(ended)
		signal.Stop(first)
		signal.Stop(others)
		cancel(nil)
	})
}

// sameSignal is the time in which SIGTERM and SIGHUP mean the same request as the signal before.
const sameSignal = 500 * time.Millisecond

// Notify relays the signals to c, except ignored ones.
func Notify(c chan<- os.Signal, signals ...os.Signal) {
	for _, s := range signals {
		notify(c, s)
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

// Nothing returns the error of a command that its time limit (inTime) or a cancelled context has ended
// before something was finished. The text more follows.
func Nothing(ctx context.Context, inTime bool, before, more string) error {
	if inTime {
		return fmt.Errorf("--time-limit: the time was over before %s; nothing is written%s", before, more)
	}
	return fmt.Errorf("%w before %s; nothing is written%s", Interruption(ctx), before, more)
}

// MarkInterrupted wraps err with the interruption if ctx is cancelled; nil stays nil.
func MarkInterrupted(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	by := Interruption(ctx)
	if strings.HasPrefix(err.Error(), by.Error()) {
		return err
	}
	// The error of a long computation ends with the cause, which is said once.
	return fmt.Errorf("%w: %s", by, strings.Replace(err.Error(), ": "+by.Error(), "", 1))
}
