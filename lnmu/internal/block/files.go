package block

import (
	"fmt"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// Reader reads whole lines of a dense matrix M that is stored elsewhere, for example in a file.
// Its methods are called concurrently.
type Reader[T kernel.Float] interface {
	// Room returns the buffer length that ReadLines needs for the given number of lines,
	// including padding for the reads.
	Room(lines int) int

	// ReadLines reads lines first to last-1 and returns them, one behind the other. They may be
	// anywhere in room, whose memory begins at a page of 4096 bytes.
	ReadLines(room []T, first, last int) (lines []T, err error)
}

// Read returns lines first to last-1 of a matrix with lines of that width, anywhere in room. It
// returns an error if the reader fails or reads another number of elements.
func Read[T kernel.Float](r Reader[T], room []T, first, last, width int) ([]T, error) {
	lines, err := r.ReadLines(room, first, last)
	if want := (last - first) * width; err == nil && len(lines) != want {
		err = fmt.Errorf("%w: the reader of M has read %d numbers, not %d", fault.ErrShape, len(lines), want)
	}
	if err != nil {
		return nil, fmt.Errorf("reading M: %w", err)
	}
	return lines, nil
}

// Files implements Lines for lines in files. A Reader reads those of M. N, and E in the place
// of M, change and are in scratch files. A chunk is some whole blocks of lines of a slab; its
// number is that of its first line. Each process has the lines of its slabs in files of its
// own.
type Files[T kernel.Float] struct {
	Prefetcher[chunk[T]]
	ChunkBytes int     // upper bound for a chunk, unless a block is larger
	Scratch    string  // directory of the scratch files
	Kept       [2]bool // which of E and N have scratch files

	reader     Reader[T]
	rows, cols int
	slabRows   int
	files      [2]Scratch
	left       bool // E has taken the place of M

	chunkRows int // lines of a chunk, except the last one of a slab
	perSlab   int // chunks of a slab

	use [2]Access // of the current pass
}

// chunk is lines first to last-1 of M and of N.
type chunk[T kernel.Float] struct {
	first, last int
	rooms       [2][]T
	x           [2]kernel.Matrix[T]
}

// NewFiles returns Files for M without scratch files. The lines are those of whole slabs of a
// matrix with whole lines in all processes. The caller sets Cancelled and any other fields, and
// calls Start.
func NewFiles[T kernel.Float](r Reader[T], lines, whole, width int) *Files[T] {
	size, _ := group.Slabs(whole)
	f := &Files[T]{reader: r, rows: lines, cols: width, slabRows: size, ChunkBytes: ChunkBytes}
	f.Slots, f.Take, f.Fill, f.Put, f.After = SlotsOfEach, f.takeRows, f.readRows, f.putRows, f.endOf
	return f
}

// Close ends the goroutines and removes the scratch files.
func (f *Files[T]) Close() {
	f.Stop()
	for which := range f.files {
		f.files[which].Close()
	}
}

// grid sets the size of chunks for blocks of the given number of lines. It changes nothing if N
// is in a file.
func (f *Files[T]) grid(block int) {
	if f.files[OfN].file != nil {
		return
	}
	rows, count := f.Chunks(block)
	if rows == f.chunkRows {
		return
	}
	f.chunkRows, f.perSlab = rows, count
	for _, c := range f.cursors {
		for _, s := range c.slots {
			s.chunk.rooms = [2][]T{}
		}
	}
	for which, kept := range f.Kept {
		if !kept || f.rows == 0 || f.Err() != nil {
			continue
		}
		count := (f.rows + f.slabRows - 1) / f.slabRows * f.perSlab
		var err error
		if f.files[which], err = MakeScratch(f.Scratch, int64(count)*f.bytesOf(f.chunkRows)); err != nil {
			f.Fail(err)
			return
		}
	}
}

// Chunks returns the lines of a chunk for blocks of the given number of lines, and the number
// of chunks of a slab.
func (f *Files[T]) Chunks(block int) (rows, count int) {
	rows = max(1, f.ChunkBytes/(f.cols*int(unsafe.Sizeof(T(0))))/block) * block
	count = (f.slabRows + rows - 1) / rows
	rows = ((f.slabRows+count-1)/count + block - 1) / block * block
	return rows, (f.slabRows + rows - 1) / rows
}

// Footprint returns the bytes of memory of the slots of so many members, and the bytes of the scratch files, for
// blocks of the given number of lines.
func (f *Files[T]) Footprint(block, members int) (slots, scratch float64) {
	rows, perSlab := f.Chunks(block)
	bytes := float64(f.bytesOf(rows))
	slabs := float64((f.rows + f.slabRows - 1) / f.slabRows)
	for _, kept := range f.Kept {
		if kept {
			scratch += bytes * slabs * float64(perSlab)
		}
	}
	slot := max(bytes, float64(unsafe.Sizeof(T(0)))*float64(f.reader.Room(rows)))
	if f.Kept[OfN] {
		slot += bytes
	}
	return slot * float64(members*f.Slots), scratch
}

// bytesOf returns the bytes of some lines in a file, in whole pages.
func (f *Files[T]) bytesOf(rows int) int64 {
	return direct.RoundUp(int64(rows) * int64(f.cols) * int64(unsafe.Sizeof(T(0))))
}

// Slab returns the lines of a slab, from 0.
func (f *Files[T]) Slab(slab int) (first, last int) {
	return slab * f.slabRows, min((slab+1)*f.slabRows, f.rows)
}

// Begin begins a pass. If N has no file, it is M.
func (f *Files[T]) Begin(block int, m, n Access, cancellable bool) {
	if !f.Kept[OfN] {
		m, n = m|n, Untouched
	}
	f.use = [2]Access{m, n}
	f.Open(f.rows, (m|n)&Writes != 0, cancellable)
	f.grid(block)
}

// KeepResidual lets E, which a pass has written, take the place of M.
func (f *Files[T]) KeepResidual() { f.left = true }

// Original lets passes read M from the Reader again, before another run.
func (f *Files[T]) Original() { f.left = false }

// Rows returns lines i0 to i1-1 of M or of N, which are in one chunk.
func (f *Files[T]) Rows(member, i0, i1, which int) kernel.Matrix[T] {
	if !f.Kept[OfN] {
		which = OfM
	}
	c := f.at(member, i0)
	return c.x[which].Slice(i0-c.first, i1-c.first, 0, f.cols)
}

// Reach returns the end of the chunk with line i0, at most last.
func (f *Files[T]) Reach(member, i0, last int) int { return min(f.at(member, i0).last, last) }

func (f *Files[T]) at(member, i int) *chunk[T] {
	if c := f.Current(member); c != nil && c.first <= i && i < c.last {
		return c
	}
	slab := i / f.slabRows * f.slabRows
	return f.Acquire(member, slab+(i-slab)/f.chunkRows*f.chunkRows)
}

// endOf returns the end of the chunk that begins with line first.
func (f *Files[T]) endOf(first int) int {
	slabEnd := (first/f.slabRows + 1) * f.slabRows
	return min(first+f.chunkRows, slabEnd, f.rows)
}

// takeRows makes c the chunk that begins with line first. Its lines are read later.
func (f *Files[T]) takeRows(c *chunk[T], first int) {
	c.first, c.last = first, f.endOf(first)
	for which, use := range f.use {
		if use == Untouched {
			continue
		}
		if c.rooms[which] == nil {
			room := int(f.bytesOf(f.chunkRows)) / int(unsafe.Sizeof(T(0)))
			if which == OfM {
				room = max(room, f.reader.Room(f.chunkRows))
			}
			c.rooms[which] = direct.Make[T](room)
		}
		rows := c.last - c.first
		c.x[which] = kernel.Matrix[T]{Rows: rows, Cols: f.cols, Data: c.rooms[which][:rows*f.cols], Stride: f.cols}
	}
}

// readRows reads what a pass needs of a chunk.
func (f *Files[T]) readRows(c *chunk[T]) error {
	for which, use := range f.use {
		if use&Reads == 0 {
			continue
		}
		var err error
		if which == OfM && !f.left {
			var lines []T
			if lines, err = Read(f.reader, c.rooms[OfM], c.first, c.last, f.cols); err == nil {
				c.x[OfM].Data = lines
			}
		} else {
			err = f.files[which].Read(f.bytes(c, which), f.offset(c))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putRows writes what has changed in a chunk.
func (f *Files[T]) putRows(c *chunk[T]) error {
	for which, use := range f.use {
		if use&Writes == 0 {
			continue
		}
		if data := c.x[which].Data; unsafe.SliceData(data) != unsafe.SliceData(c.rooms[which]) {
			copy(c.rooms[which], data) // a reader may leave them anywhere
		}
		if err := f.files[which].Write(f.bytes(c, which), f.offset(c)); err != nil {
			return err
		}
	}
	return nil
}

// bytes returns the whole pages of memory of the lines of a chunk.
func (f *Files[T]) bytes(c *chunk[T], which int) []byte {
	b := direct.Bytes(c.rooms[which])
	return b[:direct.RoundUp(int64(len(c.x[which].Data))*int64(unsafe.Sizeof(T(0))))]
}

func (f *Files[T]) offset(c *chunk[T]) int64 {
	slab := c.first / f.slabRows
	return int64(slab*f.perSlab+c.first%f.slabRows/f.chunkRows) * f.bytesOf(f.chunkRows)
}
