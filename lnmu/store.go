package lnmu

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
)

// store is M and the state N of a solver where they are not in memory. A phase goes over
// their rows in chunks, which are whole blocks of rows of a slab. Each member of the team
// has some slots, and a slot a goroutine that moves chunks between it and the disk:
//
//	disk      read 2   read 3   read 4   write 0, read 5   write 1, read 6 ..
//	member    . chunk 0 . . . . chunk 1 . . . . . . chunk 2 . . . . . . .
//
// A member that asks for the first row of a chunk gives back the slot that it has had,
// whose goroutine writes what has changed and then reads the chunk that will be wanted
// when all others have been used: that the member goes on as it does is a guess, and a
// wrong one, where a task of another member is taken over, costs the time of a read.
type store[T Float] struct {
	reader     Reader[T]
	rows, cols int
	slabRows   int
	most       int // bytes of a chunk, if a block is not more
	slots      int // of each member

	scratch string  // folder of the files
	kept    [2]bool // what is of the files: E in the place of M, and N
	files   [2]scratchFile
	left    bool // E has taken the place of M

	chunkRows int // rows of a chunk, but for the last of a slab
	perSlab   int // chunks of a slab

	walkers []walker[T] // one for each member
	moving  sync.WaitGroup
	over    func() bool // whether the work is
	broken  func(error) // is told of the first error; may be nil

	// what the current phase does
	use     [2]access
	cut     bool        // it ends when the work is over
	stopped atomic.Bool // it does nothing any more
	failed  atomic.Pointer[error]
}

// access is what a phase does to M or to N.
type access uint8

const (
	untouched access = 0
	reads     access = 1
	writes    access = 2
	updates          = reads | writes
)

// The indices of M, or what is left of it, and of N or G.
const (
	ofM = 0
	ofN = 1
)

// The size of chunks and their number: enough to keep a disk busy that has many things to
// do at once, and little beside the factors. It does not change any bits. Tests set them.
var (
	chunkBytes  = 2 << 20
	slotsOfEach = 4
)

// walker is the way of one member.
type walker[T Float] struct {
	slots []*slot[T]
	at    *slot[T] // the chunk that is in use, or nil
	next  int      // the first row of the chunk that is to be read next
}

// slot holds a chunk, rows first to last-1 of M and of N.
type slot[T Float] struct {
	first, last int // none: -1
	rooms       [2][]T
	x           [2]kernel.Matrix[T]

	ordered bool // its goroutine has something to do that was not waited for
	put     bool // to write what has changed,
	get     int  // then to read the chunk that begins with this row; none: -1
	orders  chan struct{}
	done    chan struct{}
}

// newStore returns M, of the given number of lines, without a place for anything else.
func newStore[T Float](r Reader[T], lines, width int) *store[T] {
	size, _ := slabs(lines)
	return &store[T]{reader: r, rows: lines, cols: width, slabRows: size, most: chunkBytes, slots: slotsOfEach}
}

// start makes the store ready for so many members. close must be called in the end.
func (d *store[T]) start(members int) {
	d.walkers = make([]walker[T], members)
	for i := range d.walkers {
		w := &d.walkers[i]
		for range d.slots {
			s := &slot[T]{first: -1, orders: make(chan struct{}, 1), done: make(chan struct{}, 1)}
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

// close ends the goroutines; files are gone then.
func (d *store[T]) close() {
	for i := range d.walkers {
		for _, s := range d.walkers[i].slots {
			close(s.orders)
		}
	}
	d.moving.Wait()
	for _, f := range d.files {
		if f != nil {
			_ = f.Close() // what it holds is of no use any more
		}
	}
}

// grid sets the size of chunks for blocks of so many rows. What is in files stays where
// it is.
func (d *store[T]) grid(block int) {
	if d.files[ofN] != nil {
		return
	}
	rows, count := d.chunksOf(block)
	if rows == d.chunkRows {
		return
	}
	d.chunkRows, d.perSlab = rows, count
	for i := range d.walkers {
		for _, s := range d.walkers[i].slots {
			s.rooms = [2][]T{}
		}
	}
	for which, kept := range d.kept {
		if !kept || d.err() != nil {
			continue
		}
		count := (d.rows + d.slabRows - 1) / d.slabRows * d.perSlab
		f, err := newScratch(d.scratch, int64(count)*d.chunkSize())
		if err != nil {
			d.fail(err)
			return
		}
		d.files[which] = f
	}
}

// chunksOf returns the size of chunks for blocks of so many rows, and how many of them a
// slab has.
func (d *store[T]) chunksOf(block int) (rows, count int) {
	rows = max(1, d.most/(d.cols*int(unsafe.Sizeof(T(0))))/block) * block
	count = (d.slabRows + rows - 1) / rows
	rows = ((d.slabRows+count-1)/count + block - 1) / block * block
	return rows, (d.slabRows + rows - 1) / rows
}

// chunkSize is the number of bytes that a chunk takes in a file.
func (d *store[T]) chunkSize() int64 {
	return direct.RoundUp(int64(d.chunkRows) * int64(d.cols) * int64(unsafe.Sizeof(T(0))))
}

// begin begins a phase that works on blocks of so many rows, does that to M and N, and may
// be cut short. Only the leader of the team may call it.
func (d *store[T]) begin(block int, m, n access, cut bool) {
	d.use, d.cut = [2]access{m, n}, cut
	d.stopped.Store(d.err() != nil)
	d.grid(block)
}

// end ends a phase: all is written.
func (d *store[T]) end() {
	for i := range d.walkers {
		w := &d.walkers[i]
		w.next = d.rows // nothing to be read ahead
		d.leave(w)
		d.settle(w)
		for _, s := range w.slots {
			s.first = -1
		}
	}
}

// halted reports whether the phase has come to nothing: what it has summed up is of no
// use.
func (d *store[T]) halted() bool { return d != nil && d.stopped.Load() }

// err returns the first error of the disk.
func (d *store[T]) err() error {
	if err := d.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (d *store[T]) fail(err error) {
	if d.failed.CompareAndSwap(nil, &err) && d.broken != nil {
		d.broken(err)
	}
	d.stopped.Store(true)
}

// leaveResidual lets E, which a phase has written, take the place of M.
func (d *store[T]) leaveResidual() {
	if d != nil {
		d.left = true
	}
}

// chunk returns the rows of M or of N from i on, as far as they are at hand.
func (d *store[T]) chunk(member, i, which int) kernel.Matrix[T] {
	s := d.reach(member, i)
	return s.x[which].Slice(i-s.first, s.last-s.first, 0, d.cols)
}

// part returns rows [i0, i1), which are in one chunk.
func (d *store[T]) part(member, i0, i1, which int) kernel.Matrix[T] {
	s := d.reach(member, i0)
	return s.x[which].Slice(i0-s.first, i1-s.first, 0, d.cols)
}

// reach returns the chunk with row i.
func (d *store[T]) reach(member, i int) *slot[T] {
	w := &d.walkers[member]
	if s := w.at; s != nil && s.first <= i && i < s.last {
		return s
	}
	slab := i / d.slabRows * d.slabRows
	first := slab + (i-slab)/d.chunkRows*d.chunkRows
	if d.cut && d.over() {
		d.stopped.Store(true)
	}
	d.leave(w)
	w.at = w.coming(first)
	if w.at == nil {
		d.settle(w)
		w.next = first
		for _, s := range w.slots {
			d.order(w, s, false)
		}
		w.at = w.coming(first)
	}
	if w.at == nil { // the phase has just been halted: any memory does
		w.at = w.slots[0]
		d.take(w.at, first)
	}
	w.at.await()
	return w.at
}

// coming returns the slot of the chunk that begins with row first, if it is one that was
// ordered, or nil.
func (w *walker[T]) coming(first int) *slot[T] {
	for _, s := range w.slots {
		if s.ordered && s.get == first {
			return s
		}
	}
	return nil
}

// leave gives the chunk back that was in use.
func (d *store[T]) leave(w *walker[T]) {
	s := w.at
	if w.at = nil; s != nil {
		d.order(w, s, !d.halted() && (d.use[ofM]|d.use[ofN])&writes != 0)
	}
}

// order lets a slot be written, and be filled with the next chunk.
func (d *store[T]) order(w *walker[T], s *slot[T], put bool) {
	s.put, s.get = put, -1
	if w.next < d.rows && !d.halted() {
		s.get = w.next
		w.next = d.endOf(w.next)
	}
	if s.put || s.get >= 0 {
		s.ordered = true
		s.orders <- struct{}{}
	}
}

// await returns when the goroutine of a slot has done what it was to do.
func (s *slot[T]) await() {
	if s.ordered {
		<-s.done
		s.ordered = false
	}
}

// settle awaits all slots.
func (d *store[T]) settle(w *walker[T]) {
	for _, s := range w.slots {
		s.await()
	}
}

// endOf returns the end of the chunk that begins with row first.
func (d *store[T]) endOf(first int) int {
	slabEnd := (first/d.slabRows + 1) * d.slabRows
	return min(first+d.chunkRows, slabEnd, d.rows)
}

// take makes a slot that of a chunk whose rows are to come.
func (d *store[T]) take(s *slot[T], first int) {
	s.first, s.last = first, d.endOf(first)
	for which, use := range d.use {
		if use == untouched {
			continue
		}
		if s.rooms[which] == nil {
			room := int(d.chunkSize()) / int(unsafe.Sizeof(T(0)))
			if which == ofM {
				room = max(room, d.reader.Room(d.chunkRows))
			}
			s.rooms[which] = direct.Make[T](room)
		}
		rows := s.last - s.first
		s.x[which] = kernel.Matrix[T]{Rows: rows, Cols: d.cols, Data: s.rooms[which][:rows*d.cols], Stride: d.cols}
	}
}
