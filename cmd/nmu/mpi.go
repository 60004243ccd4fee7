package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"nmu/internal/memory"
	"nmu/internal/mpi"
	"nmu/lnmu"
)

// nameMPI is the flag for a run by several processes.
const nameMPI = "mpi"

// processes are those that mpirun has started for one run. Process 0 alone prints and
// writes. nil stands for a process that is alone.
//
// All take the same steps. A step at which one may fail, and others not, ends with
// agree: then all leave the run, and process 0 says why.
type processes struct {
	world
	stderr io.Writer
	ended  bool // they have agreed that the run has failed
}

// world is a *mpi.World.
type world interface {
	lnmu.Processes
	Local() int
	Processors() int
	Threads(n int) (before int)
	Signal(word byte)
	Signalled() (word byte, ok bool)
	Abort(status int)
	Finalize()
}

// worldKey is where a context keeps the processes of a run, in tests.
type worldKey struct{}

// worldOf starts MPI.
func worldOf(ctx context.Context) (world, error) {
	if w, ok := ctx.Value(worldKey{}).(world); ok {
		return w, nil
	}
	w, err := mpi.Init()
	if err != nil {
		return nil, misuse(fmt.Errorf("--%s: %w", nameMPI, err))
	}
	return w, nil
}

// together runs work in all processes, if that is asked for.
func (f *factorFlags) together(cmd *cobra.Command, work func() error) error {
	if !f.mpi {
		return work()
	}
	all, err := worldOf(cmd.Context())
	if err != nil {
		return err
	}
	f.all = &processes{world: all, stderr: cmd.ErrOrStderr()}
	if f.all.helper() {
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
	}
	f.share()
	err = f.all.agree(work(), "")
	// After a signal mpirun keeps who ends MPI until it kills all: process 0, which has
	// something to say, does not wait for that.
	if interrupt := (*interruptError)(nil); f.all.helper() || !errors.As(err, &interrupt) {
		all.Finalize()
	}
	if f.all.helper() {
		return nil // mpirun would end process 0 at once, whose error and status count
	}
	return err
}

// share divides what a machine has among the processes on it, where the command line
// does not say what each of them may take.
func (f *factorFlags) share() {
	if f.all == nil {
		return
	}
	local := f.all.Local()
	free := memory.Free() / int64(local)
	if f.maxMemory == 0 {
		f.maxMemory = memoryLimit(free)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(free)
	}
	if f.threads == 0 {
		f.threads = max(1, min(runtime.GOMAXPROCS(0), f.all.Processors()/local))
	}
	f.all.Threads(f.threads)
}

// helper reports whether this is one of several processes, and not the first.
func (p *processes) helper() bool { return p != nil && p.Rank() > 0 }

// size returns the number of processes, 0 of one that is alone.
func (p *processes) size() int {
	if p == nil {
		return 0
	}
	return p.Size()
}

// processError is an error that another process has found.
type processError struct {
	process int
	text    string
	status  int
}

func (e *processError) Error() string { return fmt.Sprintf("process %d: %s", e.process, e.text) }

// errElsewhere is the error of a process that has none of its own.
var errElsewhere = errors.New("another process has failed")

// agree returns an error in all processes if one of them has one: in process 0 its own,
// or one that tells that of another. Processes without an error must also agree on what
// they have before them, which is the text. It costs a message from each process, and one to each.
func (p *processes) agree(err error, has string) error {
	if p == nil || p.ended {
		return err
	}
	if p.helper() {
		var head agreeHead
		text := has
		if err != nil {
			text = oneLine(err)
		}
		head.set(byte(statusOf(err, true)), errors.Is(err, lnmu.ErrProcess), len(text))
		p.Exchange(0, head[:], nil)
		p.Exchange(0, []byte(text), nil)
	} else {
		err = p.collect(err, has)
	}
	failed := []byte{0}
	if err != nil {
		failed[0] = 1
	}
	p.Broadcast(failed)
	if failed[0] == 0 {
		return nil
	}
	p.ended = true
	return cmp.Or(err, errElsewhere)
}

// agreeHead is what a process says first of how far it has come: its exit status, whether
// it has its error from another process, and how long the text is that follows.
type agreeHead [10]byte

func (h *agreeHead) set(status byte, hearsay bool, text int) {
	h[0] = status
	if hearsay {
		h[1] = 1
	}
	binary.LittleEndian.PutUint64(h[2:], uint64(text))
}

func (h *agreeHead) get() (status int, hearsay bool, text uint64) {
	return int(h[0]), h[1] != 0, binary.LittleEndian.Uint64(h[2:])
}

// collect is agree for process 0.
func (p *processes) collect(own error, has string) error {
	var other error
	for k := 1; k < p.Size(); k++ {
		var head agreeHead
		p.Exchange(k, nil, head[:])
		status, hearsay, n := head.get()
		text := make([]byte, n)
		p.Exchange(k, nil, text)
		switch {
		case other != nil, hearsay:
		case status != 0:
			other = &processError{k, string(text), status}
		case own == nil && string(text) != has:
			other = &processError{k, fmt.Sprintf("it has %s, and process 0 has %s; give all of them the same program, command line and files", text, has), exitError}
		}
	}
	if own == nil || other != nil && errors.Is(own, lnmu.ErrProcess) {
		return other
	}
	return own
}

// abort ends all processes with an error that this one has found while others may be at
// work for long. It returns only in a process that is alone.
func (p *processes) abort(err error) error {
	if p == nil || p.Size() == 1 {
		return err
	}
	fmt.Fprintf(p.stderr, "nmu: process %d: %s\n", p.Rank(), oneLine(err))
	p.Abort(statusOf(err, true))
	return err
}

// signalEvery is how often process 0 looks for signals that others have got.
const signalEvery = 100 * time.Millisecond

// interruptible is the function of that name for a process. Process 0 decides when all end:
// a signal to another one, which mpirun sends to all and a scheduler may send to one, is
// passed on to it.
func (p *processes) interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	if p.size() < 2 {
		return interruptible(parent)
	}
	got := make(chan os.Signal, 1)
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.CancelFunc(func() {})
	if p.helper() {
		notify(got, os.Interrupt, sigTerminate, sigHangup)
	} else {
		var own context.Context
		own, stop = interruptible(parent)
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
				if p.helper() {
					break
				}
				if s, ok := p.Signalled(); ok {
					cancel(&interruptError{syscall.Signal(s)})
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
