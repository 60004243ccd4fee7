package block

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"nmu/lnmu/internal/group"
)

// Prefetcher moves chunks between files and memory. A pass takes the chunks by increasing
// numbers. Each member of the team has some slots, and each slot a goroutine that reads and
// writes its chunk.
//
// A member that acquires another chunk releases the previous one. The goroutine of that slot
// writes its changes, and then reads the chunk after the last one requested. This assumes that
// the member goes on in order. If the member takes over a task of another one, the guess is
// wrong and costs the time of a read.
//
// Each process aborts a pass by itself, after a disk error or when the work is over. After End
// the processes agree: if one has aborted the pass, it is aborted in all, and a disk error of
// one process is an error of all.
//
// Only the functions Take, Fill, Put and After know what a chunk C holds, and where it is
// stored. If one of them panics, as a reader of the caller may, the pass is aborted, and the member that awaits
// the chunk panics with the same value.
type Prefetcher[C any] struct {
	Slots     int            // of each member
	Cancelled func() bool    // reports whether the work is over
	Broken    func(error)    // called by Agree for an aborted pass, with its error or nil; may be nil
	Share     *group.Reducer // has the processes that make the same passes; nil: this one alone

	Take  func(c *C, chunk int) // makes c the chunk with this number, before Fill
	Fill  func(c *C) error      // reads the contents of c
	Put   func(c *C) error      // writes what has changed in c
	After func(chunk int) int   // returns the number of the next chunk

	cursors []cursor[C] // one for each member
	moving  sync.WaitGroup

	// what the current pass does
	limit       int         // upper bound for the numbers of its chunks
	changes     bool        // it writes
	cancellable bool        // it is aborted when the work is over
	aborted     atomic.Bool // it is aborted
	failed      atomic.Pointer[error]
	agreed      bool // all processes know of an error
	vote        *group.Vote
}

// cursor is the place of one member in the pass.
type cursor[C any] struct {
	slots []*slot[C]
	at    *slot[C] // the slot in use, or nil
	next  int      // the chunk to be read next
}

type slot[C any] struct {
	chunk C

	requested bool // its goroutine has a request that nobody has awaited
	put       bool // write the changes of the chunk,
	get       int  // then read this chunk; none: -1
	requests  chan struct{}
	done      chan struct{}
	failed    *any // the value of a panic on its way to the member
}

// Start makes the prefetcher ready for a team of the given size. Stop must be called in the
// end.
func (p *Prefetcher[C]) Start(members int) {
	if p.Share == nil {
		p.Share = group.ForSlabs(group.Self{}, 1)
	}
	p.vote = group.NewVote(p.Share)
	p.cursors = make([]cursor[C], members)
	faults := debug.SetPanicOnFault(false) // of a mapped file that has shrunk
	debug.SetPanicOnFault(faults)
	for i := range p.cursors {
		c := &p.cursors[i]
		for range p.Slots {
			s := &slot[C]{requests: make(chan struct{}, 1), done: make(chan struct{}, 1)}
			c.slots = append(c.slots, s)
			p.moving.Go(func() {
				debug.SetPanicOnFault(faults)
				for range s.requests {
					p.serve(s)
				}
			})
		}
	}
}

// Stop ends the goroutines.
func (p *Prefetcher[C]) Stop() {
	for i := range p.cursors {
		for _, s := range p.cursors[i].slots {
			close(s.requests)
		}
	}
	p.moving.Wait()
}

// Open begins a pass over the chunks below limit. changes says that it writes them. Only
// the leader of the team may call it.
func (p *Prefetcher[C]) Open(limit int, changes, cancellable bool) {
	p.limit, p.changes, p.cancellable = limit, changes, cancellable
	p.aborted.Store(p.Err() != nil)
}

// End ends a pass. It returns when all changes are written.
func (p *Prefetcher[C]) End() {
	for i := range p.cursors {
		c := &p.cursors[i]
		c.next = p.limit // no prefetch
		p.release(c)
		c.await()
	}
}

// Agree makes Aborted the same in all processes, which call it together after End. If one of
// them has an error, the others have one that wraps group.ErrProcess.
func (p *Prefetcher[C]) Agree() {
	if !p.vote.Any(p.aborted.Load()) {
		return
	}
	p.aborted.Store(true)
	p.Share.Control.Renew() // the last decision of process 0 may be to go on
	if p.agreed {
		return
	}
	err := group.Agree(p.Share, p.Err())
	if err != nil {
		p.agreed = true
		p.failed.CompareAndSwap(nil, &err)
	}
	if p.Broken != nil {
		p.Broken(err)
	}
}

// Aborted reports whether the pass is aborted: what it has computed is to be discarded.
func (p *Prefetcher[C]) Aborted() bool { return p.aborted.Load() }

// Err returns the first error of the disk.
func (p *Prefetcher[C]) Err() error {
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Fail aborts the pass with an error.
func (p *Prefetcher[C]) Fail(err error) {
	p.failed.CompareAndSwap(nil, &err)
	p.aborted.Store(true)
}

// Current returns the chunk that a member has in use, or nil.
func (p *Prefetcher[C]) Current(member int) *C {
	if s := p.cursors[member].at; s != nil {
		return &s.chunk
	}
	return nil
}

// Acquire waits for a chunk and releases the previous one of the member. If the pass is
// aborted, the chunk may hold anything.
func (p *Prefetcher[C]) Acquire(member, chunk int) *C {
	if p.cancellable && p.Cancelled() {
		p.aborted.Store(true)
	}
	c := &p.cursors[member]
	p.release(c)
	c.at = c.coming(chunk)
	if c.at == nil {
		c.await()
		c.next = chunk
		for _, s := range c.slots {
			p.request(c, s, false)
		}
		c.at = c.coming(chunk)
	}
	if c.at == nil { // the pass has just been aborted: any slot will do
		c.at = c.slots[0]
		p.Take(&c.at.chunk, chunk)
	}
	c.at.await()
	return &c.at.chunk
}

// coming returns the slot with a request for the chunk, or nil.
func (c *cursor[C]) coming(chunk int) *slot[C] {
	for _, s := range c.slots {
		if s.requested && s.get == chunk {
			return s
		}
	}
	return nil
}

func (p *Prefetcher[C]) release(c *cursor[C]) {
	s := c.at
	if c.at = nil; s != nil {
		p.request(c, s, p.changes && !p.aborted.Load())
	}
}

// request lets the goroutine of a slot write it if put is true, and fill it with the next
// chunk.
func (p *Prefetcher[C]) request(c *cursor[C], s *slot[C], put bool) {
	s.put, s.get = put, -1
	if c.next < p.limit && !p.aborted.Load() {
		s.get = c.next
		c.next = p.After(c.next)
	}
	if s.put || s.get >= 0 {
		s.requested = true
		s.requests <- struct{}{}
	}
}

func (p *Prefetcher[C]) serve(s *slot[C]) {
	moved := false
	defer func() {
		if !moved {
			value := recover()
			s.failed = &value
			p.aborted.Store(true)
		}
		s.done <- struct{}{}
	}()
	p.move(s)
	moved = true
}

// move writes the chunk of a slot and reads the next one, as requested.
func (p *Prefetcher[C]) move(s *slot[C]) {
	if s.put && p.Err() == nil {
		if err := p.Put(&s.chunk); err != nil {
			p.Fail(err)
		}
	}
	if s.get < 0 {
		return
	}
	p.Take(&s.chunk, s.get)
	if p.Err() == nil {
		if err := p.Fill(&s.chunk); err != nil {
			p.Fail(err)
		}
	}
}

// await returns when the request of a slot is served.
func (s *slot[C]) await() {
	if s.requested {
		<-s.done
		s.requested = false
	}
	if f := s.failed; f != nil {
		s.failed = nil // the member panics once
		panic(*f)
	}
}

func (c *cursor[C]) await() {
	for _, s := range c.slots {
		s.await()
	}
}
