// Package together runs several processes of a factorization as goroutines of one
// program, for tests and measurements that need no MPI.
package together

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Process is one of the processes. It implements distributed.Processes and counts its messages.
type Process struct {
	all  *all
	rank int

	Sent, Received, Broadcasts Count
}

// Count is the number of messages by their length in bytes.
type Count map[int]int

// all is the state that the processes share.
type all struct {
	size  int
	lines [][]chan []byte // from one to another
	down  chan struct{}   // closed when one of them has failed
}

// Run runs size processes concurrently and returns when all have ended. If one of them does not
// return from run, as after a failed test or a panic, the others end at their next message.
func Run(size int, run func(p *Process)) {
	a := &all{size: size, down: make(chan struct{})}
	for range size {
		line := make([]chan []byte, size)
		for i := range line {
			line[i] = make(chan []byte)
		}
		a.lines = append(a.lines, line)
	}
	var wg sync.WaitGroup
	var failed atomic.Bool
	for rank := range size {
		wg.Go(func() {
			done := false
			defer func() {
				if !done && !failed.Swap(true) {
					close(a.down)
				}
			}()
			run(&Process{all: a, rank: rank, Sent: Count{}, Received: Count{}, Broadcasts: Count{}})
			done = true
		})
	}
	wg.Wait()
}

// Rank returns the number of the process.
func (p *Process) Rank() int { return p.rank }

// Size returns the number of processes.
func (p *Process) Size() int { return p.all.size }

// Exchange sends a message to a partner and receives one.
func (p *Process) Exchange(partner int, send, receive []byte) {
	var wg sync.WaitGroup
	if len(send) > 0 {
		p.Sent[len(send)]++
		wg.Go(func() { p.send(partner, send) })
	}
	if len(receive) > 0 {
		p.Received[len(receive)]++
		p.receive(partner, receive)
	}
	wg.Wait()
}

// Broadcast copies data from process 0 to all others.
func (p *Process) Broadcast(data []byte) {
	p.Broadcasts[len(data)]++
	for other := 1; other < p.all.size && p.rank == 0; other++ {
		p.send(other, data)
	}
	if p.rank > 0 {
		p.receive(0, data)
	}
}

func (p *Process) send(partner int, message []byte) {
	select {
	case p.all.lines[p.rank][partner] <- slices.Clone(message):
	case <-p.all.down:
		runtime.Goexit()
	}
}

func (p *Process) receive(partner int, message []byte) {
	select {
	case m := <-p.all.lines[partner][p.rank]:
		if len(m) != len(message) {
			panic(fmt.Sprintf("process %d gets %d bytes from %d and wants %d", p.rank, len(m), partner, len(message)))
		}
		copy(message, m)
	case <-p.all.down:
		runtime.Goexit()
	}
}
