package lnmu

import (
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
)

// store is M and the state N of a solver where they are not in memory. A phase goes over
// their rows in chunks, which are whole blocks of rows of a slab, and whose number is that
// of their first row.
type store[T Float] struct {
	mover[chunkOf[T]]
	reader     Reader[T]
	rows, cols int
	slabRows   int
	most       int // bytes of a chunk, if a block is not more

	scratch string  // folder of the files
	kept    [2]bool // what is of the files: E in the place of M, and N
	files   [2]scratchFile
	left    bool // E has taken the place of M

	chunkRows int // rows of a chunk, but for the last of a slab
	perSlab   int // chunks of a slab

	use [2]access // what the current phase does
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

// chunkOf is rows first to last-1 of M and of N.
type chunkOf[T Float] struct {
	first, last int
	rooms       [2][]T
	x           [2]kernel.Matrix[T]
}

// newStore returns M, of the given number of lines, without a place for anything else.
func newStore[T Float](r Reader[T], lines, width int) *store[T] {
	size, _ := slabs(lines)
	d := &store[T]{reader: r, rows: lines, cols: width, slabRows: size, most: chunkBytes}
	d.slots, d.take, d.fill, d.put, d.after = slotsOfEach, d.takeRows, d.readRows, d.putRows, d.endOf
	return d
}

// close ends the goroutines; files are gone then.
func (d *store[T]) close() {
	d.stop()
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
	d.eachChunk(func(c *chunkOf[T]) { c.rooms = [2][]T{} })
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
	d.use = [2]access{m, n}
	d.open(d.rows, (m|n)&writes != 0, cut)
	d.grid(block)
}

// halted reports whether the phase has come to nothing: what it has summed up is of no
// use.
func (d *store[T]) halted() bool { return d != nil && d.stopped.Load() }

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
func (d *store[T]) reach(member, i int) *chunkOf[T] {
	w := &d.walkers[member]
	if s := w.at; s != nil && s.chunk.first <= i && i < s.chunk.last {
		return &s.chunk
	}
	slab := i / d.slabRows * d.slabRows
	return &d.turn(w, slab+(i-slab)/d.chunkRows*d.chunkRows).chunk
}

// endOf returns the end of the chunk that begins with row first.
func (d *store[T]) endOf(first int) int {
	slabEnd := (first/d.slabRows + 1) * d.slabRows
	return min(first+d.chunkRows, slabEnd, d.rows)
}

// takeRows makes s the chunk that begins with row first, whose rows are to come.
func (d *store[T]) takeRows(s *chunkOf[T], first int) {
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
