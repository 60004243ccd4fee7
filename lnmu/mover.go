package lnmu

import (
	"sync"
	"sync/atomic"
)

// mover moves chunks of what does not fit into memory between files and memory. A phase
// goes over chunks that have numbers, which grow. Each member of the team has some slots,
// and a slot a goroutine that moves chunks between it and the disk:
//
//	disk      read 2   read 3   read 4   write 0, read 5   write 1, read 6 ..
//	member    . chunk 0 . . . . chunk 1 . . . . . . chunk 2 . . . . . . .
//
// A member that asks for another chunk gives back the slot that it has had, whose
// goroutine writes what has changed and then reads the chunk that will be wanted when all
// others have been used: that the member goes on as it does is a guess, and a wrong one,
// where a task of another member is taken over, costs the time of a read.
//
// What a chunk C holds, and where, is known to the functions alone.
type mover[C any] struct {
	slots  int         // of each member
	over   func() bool // whether the work is
	broken func(error) // is told of the first error; may be nil

	take  func(c *C, chunk int) // makes c a chunk whose contents are to come,
	fill  func(c *C) error      // reads them,
	put   func(c *C) error      // writes what has changed
	after func(chunk int) int   // the number of the next chunk

	walkers []walker[C] // one for each member
	moving  sync.WaitGroup

	// what the current phase does
	limit   int         // the numbers of its chunks are below
	changes bool        // there is something to write
	cut     bool        // it ends when the work is over
	stopped atomic.Bool // it does nothing any more
	failed  atomic.Pointer[error]
}

// walker is the way of one member.
type walker[C any] struct {
	slots []*slot[C]
	at    *slot[C] // the chunk that is in use, or nil
	next  int      // the chunk that is to be read next
}

// slot holds a chunk.
type slot[C any] struct {
	chunk C

	ordered bool // its goroutine has something to do that was not waited for
	put     bool // to write what has changed,
	get     int  // then to read this chunk; none: -1
	orders  chan struct{}
	done    chan struct{}
}

// start makes the mover ready for so many members. stop must be called in the end.
func (d *mover[C]) start(members int) {
	d.walkers = make([]walker[C], members)
	for i := range d.walkers {
		w := &d.walkers[i]
		for range d.slots {
			s := &slot[C]{orders: make(chan struct{}, 1), done: make(chan struct{}, 1)}
			w.slots = append(w.slots, s)
			d.moving.Go(func() {
				for range s.orders {
					d.move(s)
					s.done <- struct{}{}
				}
			})
		}
	}
}

// stop ends the goroutines.
func (d *mover[C]) stop() {
	for i := range d.walkers {
		for _, s := range d.walkers[i].slots {
			close(s.orders)
		}
	}
	d.moving.Wait()
}

// eachChunk calls do for the memory of all slots, none of which may be in use.
func (d *mover[C]) eachChunk(do func(c *C)) {
	for i := range d.walkers {
		for _, s := range d.walkers[i].slots {
			do(&s.chunk)
		}
	}
}

// open begins a phase over the chunks below limit, which are written if it changes them,
// and which may be cut short. Only the leader of the team may call it.
func (d *mover[C]) open(limit int, changes, cut bool) {
	d.limit, d.changes, d.cut = limit, changes, cut
	d.stopped.Store(d.err() != nil)
}

// end ends a phase: all is written.
func (d *mover[C]) end() {
	for i := range d.walkers {
		w := &d.walkers[i]
		w.next = d.limit // nothing to be read ahead
		d.leave(w)
		d.settle(w)
	}
}

// err returns the first error of the disk.
func (d *mover[C]) err() error {
	if err := d.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (d *mover[C]) fail(err error) {
	if d.failed.CompareAndSwap(nil, &err) && d.broken != nil {
		d.broken(err)
	}
	d.stopped.Store(true)
}

// turn returns a chunk that the member has not in use. If the phase has been halted, it
// need not hold anything.
func (d *mover[C]) turn(w *walker[C], chunk int) *slot[C] {
	if d.cut && d.over() {
		d.stopped.Store(true)
	}
	d.leave(w)
	w.at = w.coming(chunk)
	if w.at == nil {
		d.settle(w)
		w.next = chunk
		for _, s := range w.slots {
			d.order(w, s, false)
		}
		w.at = w.coming(chunk)
	}
	if w.at == nil { // the phase has just been halted: any memory does
		w.at = w.slots[0]
		d.take(&w.at.chunk, chunk)
	}
	w.at.await()
	return w.at
}

// coming returns the slot of a chunk, if it is one that was ordered, or nil.
func (w *walker[C]) coming(chunk int) *slot[C] {
	for _, s := range w.slots {
		if s.ordered && s.get == chunk {
			return s
		}
	}
	return nil
}

// leave gives the chunk back that was in use.
func (d *mover[C]) leave(w *walker[C]) {
	s := w.at
	if w.at = nil; s != nil {
		d.order(w, s, d.changes && !d.stopped.Load())
	}
}

// order lets a slot be written, and be filled with the next chunk.
func (d *mover[C]) order(w *walker[C], s *slot[C], put bool) {
	s.put, s.get = put, -1
	if w.next < d.limit && !d.stopped.Load() {
		s.get = w.next
		w.next = d.after(w.next)
	}
	if s.put || s.get >= 0 {
		s.ordered = true
		s.orders <- struct{}{}
	}
}

// move does what a slot was ordered to do.
func (d *mover[C]) move(s *slot[C]) {
	if s.put && d.err() == nil {
		if err := d.put(&s.chunk); err != nil {
			d.fail(err)
		}
	}
	if s.get < 0 {
		return
	}
	d.take(&s.chunk, s.get)
	if d.err() == nil {
		if err := d.fill(&s.chunk); err != nil {
			d.fail(err)
		}
	}
}

// await returns when the goroutine of a slot has done what it was to do.
func (s *slot[C]) await() {
	if s.ordered {
		<-s.done
		s.ordered = false
	}
}

// settle awaits all slots.
func (d *mover[C]) settle(w *walker[C]) {
	for _, s := range w.slots {
		s.await()
	}
}
