package process

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
)

// Group is the set of processes that mpirun has started for one run. Only process 0 prints
// and writes files. A nil Group stands for a run in one process.
//
// All processes take the same steps. A step that may fail in some of them ends with Agree.
// After a failure all processes leave the run, and process 0 prints the error.
type Group struct {
	World
	Status func(err error) int // exit status for an error of this process; nil for 1
	ended  bool                // they have agreed that the run has failed
}

// Error is the error of another process of the run.
type Error struct {
	Process int    // its rank
	Text    string // of the error
	Status  int    // its exit status
}

func (e *Error) Error() string { return fmt.Sprintf("process %d: %s", e.Process, e.Text) }

// World is the part of *mpi.World that a run needs.
type World interface {
	distributed.Processes
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

// Send sends a message of any length to a process, which calls Receive.
func (p *Group) Send(to int, message []byte) {
	p.Exchange(to, binary.LittleEndian.AppendUint64(nil, uint64(len(message))), nil)
	p.Exchange(to, message, nil)
}

// Receive returns the message of a process that calls Send.
func (p *Group) Receive(from int) []byte {
	var size [8]byte
	p.Exchange(from, nil, size[:])
	message := make([]byte, binary.LittleEndian.Uint64(size[:]))
	p.Exchange(from, nil, message)
	return message
}

// gather returns the messages of all processes by rank in process 0, and nil in the others.
func (p *Group) gather(own []byte) (all [][]byte) {
	if p.Helper() {
		p.Send(0, own)
		return nil
	}
	all = append(all, own)
	for k := 1; k < p.Size(); k++ {
		all = append(all, p.Receive(k))
	}
	return all
}

func truth(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}

// Agree returns an error in all processes if one of them has an error. Process 0 returns
// its own error, or the error of another process. Processes without an error must also
// have the same text.
func (p *Group) Agree(err error, has string) error {
	if p == nil || p.ended {
		return err
	}
	text, status := has, 0
	if err != nil {
		if text, status = render.OneLine(err), 1; p.Status != nil {
			status = p.Status(err)
		}
	}
	// The exit status, whether the error came from another process, and the text.
	all := p.gather(append([]byte{byte(status), truth(errors.Is(err, lnmu.ErrProcess))}, text...))
	if !p.Helper() {
		err = agreed(all[1:], err, has)
	}
	if !p.Decide(err != nil) {
		return nil
	}
	p.ended = true
	return cmp.Or(err, errElsewhere)
}

// agreed returns the error of process 0, or of another process, given the messages of the others.
func agreed(others [][]byte, own error, has string) error {
	var other error
	for k, said := range others {
		switch status, hearsay, text := int(said[0]), said[1] != 0, string(said[2:]); {
		case other != nil, hearsay:
		case status != 0:
			other = &Error{Process: k + 1, Text: text, Status: status}
		case own == nil && text != has:
			other = &Error{
				Process: k + 1, Status: 1,
				Text: fmt.Sprintf("it has %s, and process 0 has %s; give all of them the same program, command line and files", text, has),
			}
		}
	}
	if own == nil || other != nil && errors.Is(own, lnmu.ErrProcess) {
		return other
	}
	return own
}

// Sum adds up x over all processes. Only process 0 receives the sum; the others return x.
func (p *Group) Sum(x int) int {
	if p == nil {
		return x
	}
	for k, said := range p.gather(binary.LittleEndian.AppendUint64(nil, uint64(x))) {
		if k > 0 {
			x += int(binary.LittleEndian.Uint64(said))
		}
	}
	return x
}

// Any reports in all processes whether yes is true in at least one of them.
func (p *Group) Any(yes bool) bool { return p.Decide(p.Sum(int(truth(yes))) > 0) }

// AnyOf is Any for each of many things.
func (p *Group) AnyOf(yes []bool) {
	if p == nil {
		return
	}
	said := make([]byte, len(yes))
	for i, y := range yes {
		said[i] = truth(y)
	}
	for _, other := range p.gather(said) {
		for i, y := range other {
			said[i] |= y
		}
	}
	p.Broadcast(said)
	for i, y := range said {
		yes[i] = y != 0
	}
}

// Decide returns in all processes what process 0 says.
func (p *Group) Decide(yes bool) bool {
	if p == nil {
		return yes
	}
	word := []byte{truth(yes)}
	p.Broadcast(word)
	return word[0] != 0
}

// Neighbours returns the number of processes on the machine of this process.
func (p *Group) Neighbours() int {
	if p == nil {
		return 1
	}
	return p.Local()
}

// Differing returns the ranks of the processes whose sum differs from that of process 0.
// Only process 0 receives them.
func (p *Group) Differing(sum [sha256.Size]byte) (ranks []int) {
	for k, other := range p.gather(sum[:]) {
		if !bytes.Equal(other, sum[:]) {
			ranks = append(ranks, k)
		}
	}
	return ranks
}
