package mpirun

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/internal/process"
)

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
