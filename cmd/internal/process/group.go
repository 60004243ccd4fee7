package process

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/message"
	"nmu/lnmu"
)

// FlagName is the flag for a run by several processes.
const FlagName = "mpi"

// Group is the set of processes that mpirun has started for one run. Only process 0 prints
// and writes files. A nil Group stands for a run in one process.
//
// All processes take the same steps. A step that may fail in some of them ends with Agree.
// After a failure all processes leave the run, and process 0 prints the error.
type Group struct {
	World
	stderr io.Writer
	ended  bool // they have agreed that the run has failed
}

// World is the part of *mpi.World that a run needs.
type World interface {
	lnmu.Processes
	Local() int
	Processors() int
	Threads(n int) (before int)
	Limit(bytes int64) (before int64)
	Signal(word byte)
	Signalled() (word byte, ok bool)
	Abort(status int)
	Finalize()
}

// Helper reports whether this process has a rank above 0.
func (p *Group) Helper() bool { return p != nil && p.Rank() > 0 }

// Count returns the number of processes, 0 for a run in one process.
func (p *Group) Count() int {
	if p == nil {
		return 0
	}
	return p.Size()
}

// errElsewhere is returned in a process without an error if another process has failed.
var errElsewhere = errors.New("another process has failed")

// Agree returns an error in all processes if one of them has an error. Process 0 returns
// its own error, or the error of another process. Processes without an error must also
// have the same text. Each process sends one message and receives one.
func (p *Group) Agree(err error, has string) error {
	if p == nil || p.ended {
		return err
	}
	if p.Helper() {
		var head agreeHead
		text := has
		if err != nil {
			text = message.OneLine(err)
		}
		head.set(byte(exit.Status(err, true)), errors.Is(err, lnmu.ErrProcess), len(text))
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

// agreeHead is the header of a message of Agree: the exit status, whether the error came
// from another process, and the length of the text that follows.
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

// collect is Agree for process 0.
func (p *Group) collect(own error, has string) error {
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
			other = &exit.ProcessError{Process: k, Text: string(text), Status: status}
		case own == nil && string(text) != has:
			other = &exit.ProcessError{
				Process: k, Status: exit.StatusError,
				Text: fmt.Sprintf("it has %s, and process 0 has %s; give all of them the same program, command line and files", text, has),
			}
		}
	}
	if own == nil || other != nil && errors.Is(own, lnmu.ErrProcess) {
		return other
	}
	return own
}

// Fail ends all processes at once with the error err of this process, while the others
// compute. It returns err in a run of one process.
func (p *Group) Fail(err error) error {
	if p == nil || p.Size() == 1 {
		return err
	}
	fmt.Fprintf(p.stderr, "nmu: process %d: %s\n", p.Rank(), message.OneLine(err))
	p.Abort(exit.Status(err, true))
	return err
}

// Sum adds up x over all processes. Only process 0 receives the sum; the others return x.
func (p *Group) Sum(x int) int {
	if p == nil {
		return x
	}
	var b [8]byte
	if p.Helper() {
		binary.LittleEndian.PutUint64(b[:], uint64(x))
		p.Exchange(0, b[:], nil)
		return x
	}
	for k := 1; k < p.Size(); k++ {
		p.Exchange(k, nil, b[:])
		x += int(binary.LittleEndian.Uint64(b[:]))
	}
	return x
}

// Any reports in all processes whether yes is true in at least one of them.
func (p *Group) Any(yes bool) bool {
	if p == nil {
		return yes
	}
	x := 0
	if yes {
		x = 1
	}
	said := []byte{0}
	if p.Sum(x) > 0 {
		said[0] = 1
	}
	p.Broadcast(said)
	return said[0] != 0
}

// AnyOf is Any for each of many things.
func (p *Group) AnyOf(yes []bool) {
	if p == nil {
		return
	}
	said := make([]byte, len(yes))
	for k, y := range yes {
		if y {
			said[k] = 1
		}
	}
	if p.Helper() {
		p.Exchange(0, said, nil)
	} else {
		other := make([]byte, len(yes))
		for k := 1; k < p.Size(); k++ {
			p.Exchange(k, nil, other)
			for i, y := range other {
				said[i] |= y
			}
		}
	}
	p.Broadcast(said)
	for k, y := range said {
		yes[k] = y != 0
	}
}

// Decide returns in all processes what process 0 says.
func (p *Group) Decide(yes bool) bool {
	if p == nil {
		return yes
	}
	if p.Helper() {
		return p.Told()
	}
	p.Say(yes)
	return yes
}

// Neighbours returns the number of processes on the machine of this process.
func (p *Group) Neighbours() int {
	if p == nil {
		return 1
	}
	return p.Local()
}

// Say tells the other processes whether another request of process 0 follows.
func (p *Group) Say(more bool) {
	word := []byte{0}
	if more {
		word[0] = 1
	}
	p.Broadcast(word)
}

// Told returns in the other processes the value that process 0 passed to Say.
func (p *Group) Told() bool {
	word := []byte{0}
	p.Broadcast(word)
	return word[0] != 0
}

// Differing returns the ranks of the processes whose sum differs from that of process 0.
// Only process 0 receives them.
func (p *Group) Differing(sum [sha256.Size]byte) (ranks []int) {
	if p.Helper() {
		p.Exchange(0, sum[:], nil)
		return nil
	}
	for k := 1; k < p.Size(); k++ {
		var other [sha256.Size]byte
		p.Exchange(k, nil, other[:])
		if other != sum {
			ranks = append(ranks, k)
		}
	}
	return ranks
}

// signalEvery is the interval at which process 0 looks for signals that others have received.
const signalEvery = 100 * time.Millisecond

// Interruptible is exit.Interruptible for a process. Process 0 decides when all end. The other
// processes pass their signals on to process 0: mpirun sends a signal to all processes, but a
// scheduler may send it to one.
func (p *Group) Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
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
