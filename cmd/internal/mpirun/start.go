// Package mpirun starts the processes of a run: with --mpi it makes one group of those that
// mpirun has started, divides the memory and processors of a machine among them, and passes
// their signals on to process 0.
package mpirun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/message"
	"nmu/internal/memory"
	"nmu/internal/mpi"
	"nmu/internal/process"
)

// FlagName is the flag for a run by several processes.
const FlagName = "mpi"

// WorldKey is the context key of the [process.World] that a test uses instead of MPI.
type WorldKey struct{}

// worldOf starts MPI.
func worldOf(ctx context.Context) (process.World, error) {
	if w, ok := ctx.Value(WorldKey{}).(process.World); ok {
		return w, nil
	}
	w, err := mpi.Init()
	if err != nil {
		return nil, exit.Misuse(fmt.Errorf("--%s: %w", FlagName, err))
	}
	return w, nil
}

// Run calls work in all processes that mpirun has started.
func Run(ctx context.Context, c *message.Console, work func(all *process.Group) error) error {
	started, err := worldOf(ctx)
	if err != nil {
		return err
	}
	all := &process.Group{World: started, Status: func(err error) int { return exit.Status(err, true) }}
	if all.Helper() {
		c.Out, c.Err = io.Discard, io.Discard
	}
	err = all.Agree(work(all), "")
	// After a signal, Finalize blocks until mpirun kills all processes. Process 0 skips it,
	// because it still has to print a message.
	if interrupt := (*exit.InterruptError)(nil); all.Helper() || !errors.As(err, &interrupt) {
		all.Finalize()
	}
	if all.Helper() {
		return nil // on an error mpirun would kill process 0 before it reports its error and status
	}
	return err
}

// Share divides the memory and the processors of a machine among the processes on it,
// unless the limit of memory or the number of threads is set.
func Share(p *process.Group, maxMemory *int64, threads *int) {
	if p == nil {
		return
	}
	local := p.Local()
	free := memory.Free() / int64(local)
	if *maxMemory == 0 {
		*maxMemory = free
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		p.Limit(free)
	}
	if *threads == 0 {
		*threads = max(1, min(runtime.GOMAXPROCS(0), p.Processors()/local))
	}
	p.Threads(*threads)
}

// signalEvery is the interval at which process 0 looks for signals that others have received.
const signalEvery = 100 * time.Millisecond

// Interruptible is exit.Interruptible for a process. Process 0 decides when all end. The other
// processes pass their signals on to process 0: mpirun sends a signal to all processes, but a
// scheduler may send it to one.
func Interruptible(p *process.Group, parent context.Context) (context.Context, context.CancelFunc) {
	if p.Count() < 2 {
		return exit.Interruptible(parent)
	}
	got := make(chan os.Signal, 1)
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.CancelFunc(func() {})
	if p.Helper() {
		exit.Notify(got, os.Interrupt, exit.Terminate, exit.Hangup)
	} else {
		var own context.Context
		own, stop = exit.Interruptible(parent)
		context.AfterFunc(own, func() { cancel(context.Cause(own)) })
	}
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		look := time.NewTicker(signalEvery)
		defer look.Stop()
		for {
			select {
			case <-end:
				return
			case s := <-got:
				if s, ok := s.(syscall.Signal); ok {
					p.Signal(byte(s))
				}
			case <-look.C:
				if p.Helper() {
					break
				}
				if s, ok := p.Signalled(); ok {
					cancel(exit.Interrupt(syscall.Signal(s)))
				}
			}
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		close(end)
		<-ended // before MPI ends
		stop()
		cancel(nil)
	}
}
